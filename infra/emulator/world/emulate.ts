import type { EmulateOptions, World } from './world.ts';

/**
 * A small cluster with Gatehouse and your functions in it, for tests.
 *
 * ```ts
 * await using world = await emulate({ functions: [copyNote], objects: note });
 * await world.settle();
 * expect(await world.find('ConfigMap team-a/copy')).toMatchObject({ data: { text: 'hello' } });
 * ```
 */
export async function emulate(options: EmulateOptions): Promise<World> {
  refuseOldNode();
  if (options.parts === 'real') {
    const { realWorld } = await import('./real/real-world.ts');
    return realWorld(options);
  }
  const { memoryWorld } = await import('./memory/memory-world.ts');
  return memoryWorld(options);
}

/** Tests run on whatever Node the user has; with an older one the first sign would be a riddle from within. */
function refuseOldNode(): void {
  if (typeof Map.groupBy === 'function' && typeof Promise.withResolvers === 'function') return;
  throw new Error(`gatehouse/testing needs Node 22 or newer, and this is ${process.version}`);
}
