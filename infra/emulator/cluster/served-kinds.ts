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
};

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
