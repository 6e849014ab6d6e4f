import { beforeAll, describe, expect, inject, it } from 'vitest';
import { captured } from '#infra/emulator/cluster/access/bootstrap/capture.ts';
import policy from '#infra/emulator/cluster/access/bootstrap/policy.golden.json' with {
  type: 'json',
};
import { openAccess } from '#infra/emulator/cluster/access/open-access.ts';
import { policyKinds } from '#infra/emulator/cluster/access/rbac/policy.ts';
import { newSigningKey } from '#infra/emulator/cluster/access/tokens/signing.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { asking } from '#test/infra/emulator/cluster/access/asking.ts';
import { objectsRead } from '#test/infra/emulator/cluster/access/objects-read.ts';
import { bound, role, rule } from '#test/infra/emulator/cluster/access/roles.ts';
import { until } from '#test/support/until.ts';

const ask = asking(inject('kube'));
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Names that no other test has. */
const objects: readonly JsonObject[] = [
  role('ea-reader', rule('', 'pods', 'get,list'), rule('apps', 'deployments', 'get', 'only')),
  role(
    'ea-wide',
    rule('*', '*/scale', 'update'),
    rule('', 'services/*', 'get'),
    rule('batch', '*', '*'),
  ),
  { ...role('ea-paths'), rules: [{ verbs: ['get'], nonResourceURLs: ['/ea/*', '/ea-exact'] }] },
  role('ea-home/keeper', rule('', 'secrets', 'get')),
  role(
    'ea-writer',
    rule('rbac.authorization.k8s.io', 'clusterroles,clusterrolebindings', 'create'),
  ),
  bound('ea-reads', 'ClusterRole ea-reader', 'User ea-alice', 'Group ea-team'),
  bound('ea-widens', 'ClusterRole ea-wide', 'User ea-alice'),
  bound('ea-sees', 'ClusterRole ea-paths', 'User ea-alice'),
  bound('ea-writes', 'ClusterRole ea-writer', 'User ea-eve'),
  bound('ea-lost', 'ClusterRole ea-gone', 'User ea-bob'),
  bound('ea-home/keeps', 'Role keeper', 'ServiceAccount ea-home:robot', 'User ea-dave'),
  bound('ea-home/lets', 'ClusterRole ea-reader', 'User ea-carol'),
  bound('ea-home/lost', 'Role gone', 'User ea-bob'),
];

async function lists(): Promise<readonly JsonObject[]> {
  const paths = policyKinds.map((kind) => `${rbac}/${kind.split('.')[0]}`);
  return (await Promise.all(paths.map((path) => ask('GET', path)))).map(({ body }) => body);
}

function withTypes(list: JsonObject): readonly JsonObject[] {
  const { apiVersion, kind, items } = list as unknown as {
    apiVersion: string;
    kind: string;
    items: JsonObject[];
  };
  return items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ''), ...item }));
}

const reading = objectsRead();
const access = openAccess({
  ...{ reading, tokens: new Map(), signingKey: newSigningKey() },
  now: () => new Date(),
});

beforeAll(async () => {
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'ea-home' } });
  for (const object of objects) {
    const { namespace } = object['metadata'] as { namespace?: string };
    const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
    await ask('POST', `${rbac}${place}/${String(object['kind']).toLowerCase()}s`, object);
  }
  // Ours has what the real one has, its own roles included.
  reading.put(...(await lists()).flatMap(withTypes));
  const last = { verb: 'get', resource: 'secrets', namespace: 'ea-home' };
  await until(
    async () => (await reviewed({ user: 'ea-dave', resourceAttributes: last }))['allowed'] === true,
    20_000,
  );
});

async function reviewed(spec: JsonObject): Promise<JsonObject> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const { body } = await ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
  return body['status'] as JsonObject;
}

const users: readonly JsonObject[] = [
  { user: 'ea-alice' },
  { user: 'ea-bob' },
  { user: 'ea-carol' },
  { user: 'ea-dave' },
  { user: 'ea-zed', groups: ['ea-team'] },
  {
    user: 'system:serviceaccount:ea-home:robot',
    groups: ['system:serviceaccounts', 'system:authenticated'],
  },
  { user: 'system:kube-scheduler', groups: ['system:authenticated'] },
  { user: 'system:anonymous', groups: ['system:unauthenticated'] },
  { user: 'ea-root', groups: ['system:masters'] },
];

const requests: readonly JsonObject[] = [
  { resourceAttributes: { verb: 'get', resource: 'pods' } },
  { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'ea-home' } },
  { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'ea-home' } },
  {
    resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'ea-home' },
  },
  { resourceAttributes: { verb: 'get', resource: 'services', subresource: 'status' } },
  { resourceAttributes: { verb: 'get', group: 'apps', resource: 'deployments', name: 'only' } },
  { resourceAttributes: { verb: 'get', group: 'apps', resource: 'deployments', name: 'other' } },
  {
    resourceAttributes: {
      verb: 'update',
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
    },
  },
  { resourceAttributes: { verb: 'frob', group: 'batch', resource: 'jobs', subresource: 'status' } },
  { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'ea-home' } },
  { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default' } },
  {
    resourceAttributes: {
      verb: 'create',
      resource: 'pods',
      subresource: 'binding',
      namespace: 'x',
    },
  },
  { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
  { nonResourceAttributes: { verb: 'get', path: '/ea/x' } },
  { nonResourceAttributes: { verb: 'get', path: '/ea-exact/x' } },
  // Two bindings allow some paths, and the real server names either.
  { nonResourceAttributes: { verb: 'get', path: '/api/v1' } },
  { nonResourceAttributes: { verb: 'get', path: '/metrics' } },
];

describe('the access of the emulated server beside the real one', () => {
  it('begins with the same roles and bindings', async () => {
    // Without its controller manager nobody has aggregated the rules there.
    const comparable = (all: readonly JsonObject[]) =>
      all.map(({ rules, ...each }) => ({
        ...each,
        ...(each['aggregationRule'] === undefined && { rules }),
      }));
    const ours = comparable(policy as unknown as readonly JsonObject[]);
    expect(comparable(captured(await lists()))).toEqual(ours);
  });

  it.each(users.map((who) => [who['user'], who] as const))(
    'decides for %s what the real one decides',
    async (_, who) => {
      const specs = requests.map((request) => ({ ...who, ...request }));
      const ours = specs.map((spec) =>
        access.reviewed({ kind: 'SubjectAccessReview', spec }, { name: '', groups: [] }),
      );
      const theirs = await Promise.all(specs.map(reviewed));
      expect(ours.map((each) => each !== undefined && !isRefusal(each) && each['status'])).toEqual(
        theirs,
      );
    },
  );

  it.each<[string, JsonObject]>([
    [
      'more than he has',
      role('ea-more', rule('', 'pods,nodes', 'get,list'), rule('z', 'a', 'b', 'n')),
    ],
    [
      'paths that he has not',
      { ...role('ea-more'), rules: [{ verbs: ['get'], nonResourceURLs: ['/x', '/healthz'] }] },
    ],
    [
      'everything by aggregation',
      {
        ...role('ea-more'),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      },
    ],
    ['a role that is not there', bound('ea-more', 'ClusterRole ea-nope', 'User ea-eve')],
    ['a role that is above him', bound('ea-more', 'ClusterRole cluster-admin', 'User ea-eve')],
    ['nothing', role('ea-more')],
  ])('lets nobody grant %s, in the same words', async (_, object) => {
    const kind = String(object['kind']);
    const resource = `${kind.toLowerCase()}s`;
    const headers = { 'impersonate-user': 'ea-eve' };
    const theirs = await ask('POST', `${rbac}/${resource}?dryRun=All`, object, headers);
    const served = {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind,
      resource,
      namespaced: false,
    };
    const ours = access.refusedGrant({
      ...{ kind: builtIn(served), version: 'v1', subresource: undefined, operation: 'CREATE' },
      ...{
        namespace: undefined,
        name: 'ea-more',
        object,
        before: undefined,
        options: {},
        dryRun: true,
      },
      user: { name: 'ea-eve', groups: ['system:authenticated'] },
      defaulted: (each) => each,
    });
    expect(ours?.body).toEqual(theirs.code === 201 ? undefined : theirs.body);
  });
});
