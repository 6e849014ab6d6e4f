import {
  configMaps,
  events,
  type Kind,
  leases,
  mutatingWebhooks,
  namespaces,
  nodes,
  pods,
  secrets,
  validatingWebhooks,
} from '#shared/domain/kind.ts';

/** A resource in all versions that it is served in, the preferred one first. */
export type ServedKind = {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly versions: readonly [string, ...string[]];
  readonly isCustom: boolean;
  /** As `kubectl` may call it beside its plural. */
  readonly names?: Names;
  /** Each with the verbs of its own; the order is discovery's. */
  readonly subresources?: readonly ServedSubresource[];
  /** Without them it has all. */
  readonly verbs?: readonly string[];
  /** Of a custom one, as `spec.color`. */
  readonly selectableFields?: readonly string[];
  /** Which of the versions is kept; the first where nothing is said. */
  readonly storedVersion?: string;
};

export type Names = {
  readonly singular: string;
  readonly short: readonly string[];
  readonly categories: readonly string[];
};

export type ServedSubresource = {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
};

export const allVerbs: readonly string[] = [
  ...['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
];

export const customKinds = builtIn({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  resource: 'customresourcedefinitions',
  namespaced: false,
});

export const builtInKinds: readonly ServedKind[] = [
  customKinds,
  ...[pods, namespaces, nodes, secrets, configMaps, events, leases].map(builtIn),
  ...[mutatingWebhooks, validatingWebhooks].map(builtIn),
  ...['services', 'serviceaccounts'].map((resource) =>
    builtIn({
      group: '',
      version: 'v1',
      kind: resource === 'services' ? 'Service' : 'ServiceAccount',
      resource,
      namespaced: true,
    }),
  ),
  ...(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'] as const).map((kind) =>
    builtIn({
      group: 'apps',
      version: 'v1',
      kind,
      resource: `${kind.toLowerCase()}s`,
      namespaced: true,
    }),
  ),
];

export function builtIn({ version, ...kind }: Kind): ServedKind {
  return { ...kind, versions: [version], isCustom: false };
}

export function idOf({ group, resource }: Pick<ServedKind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function storedVersionOf({ versions, storedVersion }: ServedKind): string {
  return storedVersion ?? versions[0];
}
