import type { Registry } from './registry.ts';

/** One whose functions are worked on: whoever looks sees the newest ones that could be used. */
export type RegistryInWork = Registry & {
  /** Those that are served. */
  now(): Registry;
  replace(next: Registry): Promise<void>;
};

export function registryInWork(first: Registry): RegistryInWork {
  const listeners: (() => Promise<void>)[] = [];
  let now = first;
  let generation = 0;
  return {
    get definitions() {
      return now.definitions;
    },
    isEnabled: (definition, settings) => now.isEnabled(definition, settings),
    unknownCapabilities: (settings) => now.unknownCapabilities(settings),
    generation: () => generation,
    onReplaced: (listener) => void listeners.push(listener),
    now: () => now,
    async replace(next) {
      now = next;
      generation += 1;
      await Promise.all(listeners.map((listener) => listener()));
    },
  };
}
