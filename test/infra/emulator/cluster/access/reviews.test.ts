import { describe, expect, it } from 'vitest';
import { openAccess } from '#infra/emulator/cluster/access/open-access.ts';
import { newSigningKey } from '#infra/emulator/cluster/access/tokens/signing.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from './objects-read.ts';
import { bound, role, rule, user } from './roles.ts';

const access = openAccess({
  reading: objectsRead(
    role('reader', rule('', 'pods', 'get'), rule('apps', 'deployments', 'get', 'only')),
    bound('reads', 'ClusterRole reader', 'User alice', 'Group team'),
  ),
  tokens: new Map(),
  signingKey: newSigningKey(),
  now: () => new Date('2030-01-01T00:00:00Z'),
});

function reviewed(kind: string, spec: JsonObject, metadata: JsonObject = {}) {
  return access.reviewed({ kind, metadata, spec }, user('alice'));
}

const pods = { verb: 'get', resource: 'pods' };
const because = 'RBAC: allowed by ClusterRoleBinding "reads" of ClusterRole "reader" to';
const self = 'SelfSubjectAccessReview';
const other = 'SubjectAccessReview';
const local = 'LocalSubjectAccessReview';

describe('a review', () => {
  it.each<[string, string, JsonObject, object]>([
    [
      'of himself',
      self,
      { resourceAttributes: pods },
      { allowed: true, reason: `${because} User "alice"` },
    ],
    [
      'of what he may not',
      self,
      { resourceAttributes: { verb: 'get', resource: 'secrets' } },
      { allowed: false },
    ],
    ['of a path', self, { nonResourceAttributes: { verb: 'get', path: '/x' } }, { allowed: false }],
    [
      'of a group',
      other,
      { groups: ['team'], resourceAttributes: pods },
      { allowed: true, reason: `${because} Group "team"` },
    ],
    ['of a stranger', other, { user: 'zed', resourceAttributes: pods }, { allowed: false }],
  ])('%s answers with its spec and a status', (_, kind, spec, status) => {
    expect(reviewed(kind, spec)).toEqual({ kind, metadata: {}, spec, status });
  });

  it.each<[string, string, JsonObject, string]>([
    [
      'of nothing',
      self,
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'of two things',
      self,
      { resourceAttributes: pods, nonResourceAttributes: { path: '/', verb: 'get' } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'of nobody',
      other,
      { resourceAttributes: pods },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'of another namespace than its own',
      local,
      { user: 'x', resourceAttributes: { ...pods, namespace: 'away' } },
      'spec.resourceAttributes.namespace: Invalid value: "away": must match metadata.namespace',
    ],
  ])('%s is invalid', (_, kind, spec, why) => {
    expect(reviewed(kind, spec, kind === local ? { namespace: 'home' } : {})).toMatchObject({
      code: 422,
      body: { message: `.authorization.k8s.io "" is invalid: ${why}`, reason: 'Invalid' },
    });
  });

  it('of all rules lists those that count in the namespace', () => {
    expect(reviewed('SelfSubjectRulesReview', { namespace: 'home' })).toMatchObject({
      spec: {},
      status: {
        resourceRules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
          {
            verbs: ['get'],
            apiGroups: ['apps'],
            resources: ['deployments'],
            resourceNames: ['only'],
          },
        ],
        nonResourceRules: [],
        incomplete: false,
      },
    });
    expect(reviewed('SelfSubjectRulesReview', {})).toMatchObject({ code: 400 });
  });

  it('of oneself tells who one is', () => {
    expect(reviewed('SelfSubjectReview', {})).toMatchObject({
      metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
      status: { userInfo: { username: 'alice', groups: ['system:authenticated'] } },
    });
  });
});
