import { loadFunctions } from '#infra/functions.ts';
import type { Definition } from '#shared/define.ts';
import { openRegistry } from '#shared/runtime/registry.ts';

/** What the repository's own function files define. */
export async function builtInDefinitions(): Promise<readonly Definition[]> {
  const loaded = await loadFunctions({ builtIn: true });
  const registered = loaded.ok ? openRegistry(loaded.found) : loaded;
  if (registered.ok) return registered.registry.definitions;
  throw new Error(registered.problems.map(({ file, why }) => `${file}: ${why}`).join('\n'));
}
