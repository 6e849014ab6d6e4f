import type { User } from '#infra/emulator/cluster/parts.ts';
import type { JsonObject } from '#shared/domain/json.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

export function role(name: string, ...rules: readonly JsonObject[]): JsonObject {
  const [first = '', second] = name.split('/');
  return second === undefined
    ? { apiVersion, kind: 'ClusterRole', metadata: { name: first }, rules }
    : { apiVersion, kind: 'Role', metadata: { namespace: first, name: second }, rules };
}

/** `bound('ns/name', 'Role x', 'User y', 'Group z', 'ServiceAccount ns:n')` */
export function bound(name: string, roleName: string, ...subjects: readonly string[]): JsonObject {
  const [first = '', second] = name.split('/');
  const [kind = '', ref = ''] = roleName.split(' ');
  return {
    apiVersion,
    kind: second === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: second === undefined ? { name: first } : { namespace: first, name: second },
    roleRef: { apiGroup, kind, name: ref },
    subjects: subjects.map(subject),
  };
}

function subject(stated: string): JsonObject {
  const [kind = '', name = ''] = stated.split(' ');
  if (kind !== 'ServiceAccount') return { kind, name, apiGroup };
  const [namespace = '', account = ''] = name.split(':');
  return { kind, name: account, namespace };
}

export function rule(groups: string, resources: string, verbs: string, names = ''): JsonObject {
  return {
    verbs: verbs.split(','),
    apiGroups: groups.split(','),
    resources: resources.split(','),
    ...(names !== '' && { resourceNames: names.split(',') }),
  };
}

export function user(name: string, ...groups: readonly string[]): User {
  return { name, groups: [...groups, 'system:authenticated'] };
}
