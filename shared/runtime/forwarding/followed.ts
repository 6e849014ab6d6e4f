import {
  type Followed,
  followedFrom,
  type Subscription,
  scopeOf,
} from '#events/forwarder/followed.ts';
import { type Definition, watchesOf } from '#shared/define.ts';
import {
  clusterTrustBundles,
  configMaps,
  type Kind,
  namespaces,
  nodes,
} from '#shared/domain/kind.ts';
import { resolvePlace } from '#shared/domain/place.ts';
import { type Settings, valueAt } from '#shared/domain/settings.ts';
import type { Watch } from '#shared/domain/watch.ts';
import type { Scope } from '#shared/domain/watched.ts';
import type { Ports } from '#shared/ports.ts';
import type { Registry } from '../registry.ts';

/** What is watched: whatever an enabled function is woken by, reads, or wakes all of. */
export function followedBy(registry: Registry, settings: Settings): readonly Followed[] {
  const enabled = registry.definitions.filter((each) => registry.isEnabled(each, settings));
  return followedOf(enabled, settings);
}

/** Of those that are enabled. */
export function followedOf(
  definitions: readonly Definition[],
  settings: Settings,
): readonly Followed[] {
  return followedFrom(
    definitions.flatMap((each) => subscriptionsOf(each, settings)),
    definitions.flatMap((each) => readsOf(each, settings)),
  );
}

/** As it is stated, before it is joined with what others ask for. */
export function askedBy(definition: Definition, settings: Settings): readonly Scope[] {
  const watches = subscriptionsOf(definition, settings).map(({ watch }) => scopeOf(watch));
  return [...watches, ...readsOf(definition, settings)];
}

function readsOf(definition: Definition, settings: Settings): readonly Scope[] {
  return [...readBy(definition, settings), ...fannedOutBy(definition, settings)];
}

function subscriptionsOf(definition: Definition, settings: Settings): readonly Subscription[] {
  if (definition.shape !== 'reconcile') return [];
  const { name, trigger } = definition;
  return watchesOf(trigger).map((watch) => ({ function: name, watch: placed(watch, settings) }));
}

/** Gatehouse's own namespace goes by `installation` in definitions. */
function placed({ place, settings: paths, ...stated }: Watch, settings: Settings): Watch {
  const watch = {
    ...stated,
    ...(paths === undefined ? {} : { settings: valuesAt(paths, settings) }),
  };
  if (place !== undefined) return { ...watch, ...resolvePlace(place, settings) };
  if (watch.namespace !== 'installation') return watch;
  return { ...watch, namespace: settings.installation.namespace };
}

type Paths = NonNullable<Watch['settings']>;

/** Instead of the paths: a trigger is known by its text, so that another value makes it another one. */
function valuesAt([first, ...rest]: Paths, settings: Settings): Paths {
  const textOf = (setting: string) => JSON.stringify(valueAt(setting, settings) ?? null);
  return [textOf(first), ...rest.map(textOf)];
}

/** What ports read from the mirror: whole kinds, and of ConfigMaps one. */
function scopesOfPort(port: keyof Ports, settings: Settings): readonly Scope[] {
  switch (port) {
    case 'namespaces':
      return [{ kind: namespaces }];
    case 'nodes':
      return [{ kind: nodes }];
    case 'bootstrapDocument': {
      const { namespace, name } = settings.podBootstrap.configMap;
      const document = { kind: configMaps, namespace, fields: `metadata.name=${name}` };
      return [document, { kind: clusterTrustBundles }];
    }
    default:
      return [];
  }
}

function readBy({ uses, reads = [] }: Definition, settings: Settings): readonly Scope[] {
  return [
    ...reads.map((kind) => ({ kind })),
    ...uses.flatMap((port) => scopesOfPort(port, settings)),
  ];
}

/** Whom a definition wakes all of: a set is expanded from the mirror, so that its kind is followed as far as its sets reach. */
function fannedOutBy(definition: Definition, settings: Settings): readonly Scope[] {
  const watches = subscriptionsOf(definition, settings).map(({ watch }) => watch);
  const isMetadataOnly = (kind: Kind) =>
    watches.some(({ of, metadataOnly }) => metadataOnly === true && isSameKind(of, kind));
  return watches.flatMap(({ wakes, of, namespace, name }) => {
    if (wakes === undefined || 'owner' in wakes) return [];
    const { all } = wakes;
    const within = isSameKind(of, namespaces) ? name : namespace;
    return {
      kind: all,
      ...(all.namespaced && within !== undefined ? { namespace: within } : {}),
      ...(isMetadataOnly(all) ? { metadataOnly: true } : {}),
    };
  });
}

function isSameKind(one: Kind, other: Kind): boolean {
  return one.group === other.group && one.resource === other.resource;
}
