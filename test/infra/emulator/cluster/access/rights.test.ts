import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from '#infra/emulator/cluster/access/bootstrap/policy.ts';
import { forbidden } from '#infra/emulator/cluster/access/forbidden.ts';
import { inOwnNamespace, openAccess } from '#infra/emulator/cluster/access/open-access.ts';
import { aggregatedRules } from '#infra/emulator/cluster/access/rbac/aggregating.ts';
import { newSigningKey } from '#infra/emulator/cluster/access/tokens/signing.ts';
import type { Attributes } from '#infra/emulator/cluster/parts.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from './objects-read.ts';
import { bound, role, rule, user } from './roles.ts';

const signingKey = newSigningKey();

function access(...objects: readonly JsonObject[]) {
  const reading = objectsRead(...objects);
  const opened = openAccess({
    reading,
    signingKey,
    tokens: new Map(),
    now: () => new Date('2030-01-01T00:00:00Z'),
  });
  return { reading, ...opened };
}

/** `get pods/log of apps in ns named x` */
function asked(who: Attributes['user'], words: string): Attributes {
  const match =
    /^(?<verb>\w+) (?<resource>[^/ ]+)(\/(?<sub>\S+))?( of (?<group>\S+))?( in (?<ns>\S+))?( named (?<name>\S+))?$/.exec(
      words,
    );
  const { verb = '', resource = '', sub, group = '', ns, name } = match?.groups ?? {};
  return { user: who, verb, group, version: 'v1', resource, subresource: sub, namespace: ns, name };
}

const world = access(
  role('reader', rule('', 'pods', 'get,list'), rule('apps', 'deployments', '*', 'only')),
  role('wide', rule('*', '*/scale', 'update'), rule('', 'pods/*', 'get')),
  role('home/keeper', rule('', 'secrets', 'get')),
  { ...role('paths'), rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*'] }] },
  bound('reads', 'ClusterRole reader', 'User alice', 'Group team'),
  bound('widens', 'ClusterRole wide', 'User alice'),
  bound('sees', 'ClusterRole paths', 'Group system:authenticated'),
  bound('home/keeps', 'Role keeper', 'ServiceAccount home:robot', 'User dave'),
  bound('home/lets', 'ClusterRole reader', 'User carol'),
  bound('home/lost', 'Role gone', 'User bob'),
  bound('lost', 'ClusterRole gone-too', 'User bob'),
);
const robot = user('system:serviceaccount:home:robot');

describe('rights', () => {
  it.each([
    ['a verb that is named', user('alice'), 'list pods', true],
    ['a verb that is not', user('alice'), 'delete pods', false],
    ['a group of the user', user('zed', 'team'), 'get pods in home', true],
    ['a name that is named', user('alice'), 'get deployments of apps in home named only', true],
    ['another name', user('alice'), 'get deployments of apps in home named other', false],
    ['a list of what is named', user('alice'), 'list deployments of apps in home', false],
    ['another group', user('alice'), 'get deployments of batch named only', false],
    ['a subresource of what is named', user('alice'), 'get pods/log', false],
    ['a subresource of everything', user('alice'), 'update deployments/scale of apps', true],
    ["a star for a kind's subresources", user('alice'), 'get pods/log in home', false],
    ['a role in its namespace', user('dave'), 'get secrets in home', true],
    ['a role in another one', user('dave'), 'get secrets in away', false],
    ['a role of the cluster in one', user('carol'), 'get pods in home', true],
    ['the same at the cluster', user('carol'), 'get pods', false],
    ['a service account', robot, 'get secrets in home', true],
    ['the admin', user('root', 'system:masters'), 'frob things of nowhere', true],
  ])('for %s are as the rules say', (_, who, words, expected) => {
    expect(world.may(asked(who, words)).allowed).toBe(expected);
  });

  it.each([
    ['/healthz', true],
    ['/healthz/etcd', false],
    ['/api/v1', true],
    ['/metrics', false],
  ])('to the path %s are those of nonResourceURLs', (path, expected) => {
    expect(world.may({ user: user('x'), verb: 'get', path }).allowed).toBe(expected);
  });

  it.each([
    [
      user('alice'),
      'get pods',
      'RBAC: allowed by ClusterRoleBinding "reads" of ClusterRole "reader" to User "alice"',
    ],
    [
      robot,
      'get secrets in home',
      'RBAC: allowed by RoleBinding "keeps/home" of Role "keeper" to ServiceAccount "robot/home"',
    ],
    [
      user('bob'),
      'get pods in home',
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone-too" not found, role.rbac.authorization.k8s.io "gone" not found]',
    ],
    [user('nobody'), 'get pods', ''],
  ])('of %o to %s give as reason: %s', (who, words, reason) => {
    expect(world.may(asked(who, words)).reason).toBe(reason);
  });

  it('change with the roles and bindings', () => {
    const changing = access(role('reader', rule('', 'pods', 'get')));
    const question = asked(user('alice'), 'get pods');
    expect(changing.may(question).allowed).toBe(false);
    changing.reading.put(bound('reads', 'ClusterRole reader', 'User alice'));
    expect(changing.may(question).allowed).toBe(true);
    changing.reading.put(role('reader', rule('', 'pods', 'list')));
    expect(changing.may(question).allowed).toBe(false);
  });

  it.each([
    [
      'list pods',
      'pods is forbidden: User "x" cannot list resource "pods" in API group "" at the cluster scope',
      { kind: 'pods' },
    ],
    [
      'get deployments/scale of apps in home named d',
      'deployments.apps "d" is forbidden: User "x" cannot get resource "deployments/scale" in API group "apps" in the namespace "home"',
      { name: 'd', group: 'apps', kind: 'deployments' },
    ],
    [
      'get namespaces named home',
      'namespaces "home" is forbidden: User "x" cannot get resource "namespaces" in API group "" in the namespace "home"',
      { name: 'home', kind: 'namespaces' },
    ],
  ])('that are missing for %s are told as: %s', (words, message, details) => {
    const { code, body } = forbidden(inOwnNamespace(asked(user('x'), words)), '');
    expect({ code, body }).toMatchObject({ code: 403, body: { message, details } });
  });

  it('that are missing for a path are told without a kind, and harmless to browsers', () => {
    const { body } = forbidden({ user: user('<b>'), verb: 'get', path: '/x' }, 'why');
    expect(body).toMatchObject({
      message: 'forbidden: User "&lt;b&gt;" cannot get path "/x": why',
      details: {},
    });
  });
});

describe('the roles of a new cluster', () => {
  it('aggregate to what the controller of the real one has written into them', () => {
    const policy = bootstrapPolicy();
    const roles = policy.filter(({ kind }) => kind === 'ClusterRole');
    const aggregated = roles.filter((each) => isJsonObject(each['aggregationRule']));
    expect(aggregated).toHaveLength(3);
    // Some of them are made of others, that nobody has filled yet either.
    const parts = roles.map((each) => (aggregated.includes(each) ? { ...each, rules: [] } : each));
    for (const each of aggregated) expect(aggregatedRules(each, parts)).toEqual(each['rules']);
  });

  it('let everybody who is known ask for himself, and the masters do everything', () => {
    const fresh = access(...bootstrapPolicy());
    const review = 'create selfsubjectaccessreviews of authorization.k8s.io';
    expect(fresh.may(asked(user('x'), review)).allowed).toBe(true);
    expect(fresh.may(asked({ name: 'y', groups: [] }, review)).allowed).toBe(false);
    expect(fresh.may({ user: user('x'), verb: 'get', path: '/version' }).allowed).toBe(true);
  });

  it('aggregate without end neither where two select each other', () => {
    const selecting = (name: string, label: string) => ({
      ...role(name),
      metadata: { name, labels: { to: name } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: label } }] },
    });
    const [one, other] = [selecting('one', 'other'), selecting('other', 'one')];
    expect(aggregatedRules(one, [one, other])).toEqual([]);
  });
});
