import type { Settings } from '#shared/domain/settings.ts';
import { nearestKey } from '#shared/runtime/config/known-keys.ts';
import { misfitsIn } from '#shared/runtime/misfits.ts';
import type { Registry } from '#shared/runtime/registry.ts';

type Functions = Pick<Registry, 'definitions' | 'unknownCapabilities'>;

/** Served all the same: a function that comes later may have the capability, and has a fallback for the rest. */
export function unheardIn(registry: Functions, settings: Settings): readonly string[] {
  const known = registry.definitions.map(({ capability }) => capability);
  const unknown = registry.unknownCapabilities(settings).map((name) => {
    const meant = nearestKey(name, known);
    const hint = meant === undefined ? 'is it a typing error?' : `did you mean ${meant}?`;
    return `capabilities: no function has the capability ${name}; ${hint}`;
  });
  return [...unknown, ...misfitsIn(registry, settings)];
}
