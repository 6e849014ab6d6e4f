import type { Definition } from '#shared/define.ts';
import { openRegistry, type Registry } from '#shared/runtime/registry.ts';

/** Through the product's own check, so that a definition that would not start does not start here. */
export function registered(definitions: readonly Definition[]): Registry {
  const found = definitions.map((exported) => ({
    file: `${exported.name}.ts`,
    exported,
    origin: 'own' as const,
  }));
  const result = openRegistry(found);
  if (result.ok) return result.registry;
  const lines = result.problems.map(({ file, why, mend }) => `${file}: ${why}; ${mend}`);
  throw new Error(lines.join('\n'));
}
