import { describe, expect, it } from 'vitest';
import { openAuthorizer } from '#infra/emulator/cluster/access/rbac/authorizing.ts';
import { refusedGrant } from '#infra/emulator/cluster/access/rbac/granting.ts';
import type { User } from '#infra/emulator/cluster/parts.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from './objects-read.ts';
import { bound, role, rule, user } from './roles.ts';

const rbac = 'rbac.authorization.k8s.io';
const everything = [rule('*', '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }];

const authorizer = openAuthorizer(
  objectsRead(
    role('cluster-admin', ...everything),
    role('editor', rule('', 'pods,configmaps', 'get,list'), rule(rbac, 'roles', 'create')),
    role('escalator', rule(rbac, 'roles,clusterroles', 'escalate')),
    role('binder', rule(rbac, 'clusterroles', 'bind', 'cluster-admin')),
    role('namer', rule('', 'secrets', 'get', 'one')),
    bound('names', 'ClusterRole namer', 'User nell'),
    bound('home/edits', 'ClusterRole editor', 'User carol'),
    bound('escalates', 'ClusterRole escalator', 'User eve'),
    bound('binds', 'ClusterRole binder', 'User ben'),
    bound('rules', 'ClusterRole cluster-admin', 'User root'),
  ),
);

function refused(object: JsonObject, who: User, before?: JsonObject) {
  const kind = String(object['kind']);
  const namespaced = !kind.startsWith('Cluster');
  const served = {
    group: rbac,
    version: 'v1',
    kind,
    resource: `${kind.toLowerCase()}s`,
    namespaced,
  };
  return refusedGrant(
    {
      kind: builtIn(served),
      operation: before === undefined ? 'CREATE' : 'UPDATE',
      subresource: undefined,
      namespace: namespaced ? 'home' : undefined,
      name: 'x',
      ...{ object, before, user: who },
    },
    authorizer,
  );
}

const attempt = 'is attempting to grant RBAC permissions not currently held:';

describe('who writes roles', () => {
  it.each<[string, JsonObject, User]>([
    ['with less than he has', role('home/x', rule('', 'pods', 'get')), user('carol')],
    ['with anything, as he may escalate', role('home/x', ...everything), user('eve')],
    ['with anything, as a master', role('home/x', ...everything), user('m', 'system:masters')],
    ['that binds what he may bind', bound('x', 'ClusterRole cluster-admin', 'User y'), user('ben')],
    ['that binds what he has', bound('home/x', 'ClusterRole editor', 'User y'), user('carol')],
    ['that aggregates, as he has everything', { ...role('x'), aggregationRule: {} }, user('root')],
  ])('writes one %s', (_, object, who) => {
    expect(refused(object, who)).toBeUndefined();
  });

  it.each<[string, JsonObject, User, string]>([
    [
      'than he has',
      role('home/x', rule('', 'pods', 'get,frob'), rule('z', 'a,b', 'get,list', 'n')),
      user('carol', 'dev'),
      `roles.${rbac} "x" is forbidden: user "carol" (groups=["dev" "system:authenticated"]) ${attempt}\n{APIGroups:[""], Resources:["pods"], Verbs:["frob"]}\n{APIGroups:["z"], Resources:["a"], ResourceNames:["n"], Verbs:["get" "list"]}\n{APIGroups:["z"], Resources:["b"], ResourceNames:["n"], Verbs:["get" "list"]}`,
    ],
    [
      'than the one name that he has',
      role('x', rule('', 'secrets', 'get')),
      user('nell'),
      `clusterroles.${rbac} "x" is forbidden: user "nell" (groups=["system:authenticated"]) ${attempt}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    ],
    [
      'by paths',
      { ...role('x'), rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      user('carol'),
      `clusterroles.${rbac} "x" is forbidden: user "carol" (groups=["system:authenticated"]) ${attempt}\n{NonResourceURLs:["/x"], Verbs:["get"]}`,
    ],
    [
      'by a binding',
      bound('home/x', 'ClusterRole cluster-admin', 'User carol'),
      user('carol'),
      `rolebindings.${rbac} "x" is forbidden: user "carol" (groups=["system:authenticated"]) ${attempt}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    ],
    [
      'by aggregation',
      { ...role('x'), aggregationRule: {} },
      user('carol'),
      `clusterroles.${rbac} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ],
    [
      'by a role that is not there',
      bound('home/x', 'Role nope', 'User y'),
      user('carol'),
      `rolebindings.${rbac} "nope" not found`,
    ],
  ])('gives no more %s', (_, object, who, message) => {
    expect(refused(object, who)).toMatchObject({ body: { message } });
  });

  it('may end what he could not write, as the garbage collector does', () => {
    const before = role('x', ...everything);
    const metadata = { name: 'x', finalizers: ['a/b'] };
    expect(refused({ ...before, metadata }, user('carol'), before)).toBeUndefined();
    expect(refused({ ...before, rules: [] }, user('carol'), before)).toBeUndefined();
    expect(
      refused({ ...before, metadata: { name: 'x', labels: { a: 'b' } } }, user('carol'), before),
    ).toBeDefined();
  });
});
