import { type Followed, followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { type Definition, watchesOf } from '#shared/define.ts';
import { type Kind, namespaces, nodes } from '#shared/domain/kind.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Ports } from '#shared/ports.ts';
import type { Registry } from '../registry.ts';

/** What is watched: whatever an enabled function is woken by or reads. */
export function followedBy(registry: Registry, settings: Settings): readonly Followed[] {
  const enabled = registry.definitions.filter((each) => registry.isEnabled(each, settings));
  return followedFrom(
    enabled.flatMap((each) => subscriptionsOf(each, settings)),
    enabled.flatMap(readBy),
  );
}

function subscriptionsOf(definition: Definition, settings: Settings): readonly Subscription[] {
  if (definition.shape !== 'reconcile') return [];
  const { name, trigger } = definition;
  return watchesOf(trigger).map((watch) => ({
    function: name,
    watch: watch.namespace === 'installation' ? { ...watch, namespace: ownOf(settings) } : watch,
  }));
}

/** Gatehouse's own goes by `installation` in definitions. */
function ownOf({ installation }: Settings): string {
  return installation.namespace;
}

const kindOfPort: Partial<Record<keyof Ports, Kind>> = { namespaces, nodes };

function readBy({ uses, reads = [] }: Definition): readonly Kind[] {
  return [...reads, ...uses.flatMap((port) => kindOfPort[port] ?? [])];
}
