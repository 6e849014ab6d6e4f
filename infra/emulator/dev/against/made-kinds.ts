import {
  configMaps,
  type Kind,
  mutatingWebhooks,
  namespaces,
  validatingWebhooks,
} from '#shared/domain/kind.ts';

const rbac = (kind: string, namespaced: boolean): Kind => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced,
});

const accounts: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  namespaced: true,
};

/** By these the API server calls us: they go while we still answer. */
export const callingKinds: readonly Kind[] = [mutatingWebhooks, validatingWebhooks];

/** All kinds that are made there, in the order of their removal: first nobody is called, then nobody may, then nobody is. */
export const madeKinds: readonly (readonly Kind[])[] = [
  callingKinds,
  [rbac('ClusterRoleBinding', false), rbac('RoleBinding', true)],
  [rbac('ClusterRole', false), rbac('Role', true), accounts, configMaps],
  [namespaces],
];
