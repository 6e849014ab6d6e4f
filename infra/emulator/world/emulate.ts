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
  refuseUnheard(options);
  if (options.parts === 'real') {
    const { realWorld } = await import('./real/real-world.ts');
    return realWorld(options);
  }
  const { memoryWorld } = await import('./memory/memory-world.ts');
  return memoryWorld(options);
}

const heardBy = { memory: ['outside', 'images', 'startAt'], real: ['databaseUrl'] } as const;

/** Who moves a test to the other parts must not believe that they heard all of it. */
function refuseUnheard(options: EmulateOptions): void {
  const { parts = 'memory' } = options;
  const others = parts === 'real' ? 'memory' : 'real';
  const unheard = heardBy[others].find((name) => options[name] !== undefined);
  if (unheard === undefined) return;
  throw new Error(
    `emulate: ${unheard} is of the parts '${others}', and these are '${parts}': leave it out, or take parts: '${others}'`,
  );
}

/** Tests run on whatever Node the user has; with an older one the first sign would be a riddle from within. */
function refuseOldNode(): void {
  if (typeof Map.groupBy === 'function' && typeof Promise.withResolvers === 'function') return;
  throw new Error(`gatehouse/testing needs Node 22 or newer, and this is ${process.version}`);
}
