import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { openRegistry, type Registry } from '#shared/runtime/registry.ts';
import { registryInWork } from '#shared/runtime/registry-in-work.ts';

function registryOf(...names: readonly string[]): Registry {
  const found = names.map((name) => ({
    file: `own/${name}.ts`,
    exported: { ...preferPool, name },
    origin: 'own' as const,
  }));
  const opened = openRegistry(found);
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  return opened.registry;
}

const namesIn = ({ definitions }: Registry) => definitions.map(({ name }) => name);

describe('a registry that is worked on', () => {
  it('has the functions that it was given last', async () => {
    const registry = registryInWork(registryOf('one'));
    expect([namesIn(registry), registry.generation()]).toEqual([['one'], 0]);

    await registry.replace(registryOf('one', 'two'));
    expect([namesIn(registry), registry.generation()]).toEqual([['one', 'two'], 1]);
    const enabled = registry.definitions.filter((each) =>
      registry.isEnabled(each, defaultSettings),
    );
    expect(enabled).toHaveLength(2);
  });

  it('waits until all who listen have looked', async () => {
    const registry = registryInWork(registryOf('one'));
    const seen: string[] = [];
    registry.onReplaced(async () => {
      await Promise.resolve();
      seen.push(...namesIn(registry));
    });
    await registry.replace(registryOf('two'));
    expect(seen).toEqual(['two']);
  });
});
