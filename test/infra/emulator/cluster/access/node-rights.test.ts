import { describe, expect, it } from 'vitest';
import { openNodeRights } from '#infra/emulator/cluster/access/nodes/node-rights.ts';
import { openAuthorizer } from '#infra/emulator/cluster/access/rbac/authorizing.ts';
import type { Attributes } from '#infra/emulator/cluster/parts.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from './objects-read.ts';
import { bound, role, rule, user } from './roles.ts';

function podOn(nodeName: string, name: string, spec: JsonObject, annotations = {}): JsonObject {
  const metadata = { namespace: 'home', name, annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, ...spec } };
}

const env = [
  { name: 'A', valueFrom: { secretKeyRef: { name: 'by-env', key: 'a' } } },
  { name: 'B', valueFrom: { configMapKeyRef: { name: 'map-by-env', key: 'b' } } },
];
const envFrom = [{ secretRef: { name: 'by-env-from' } }];
const projected = { sources: [{ secret: { name: 'by-source' } }, { configMap: { name: 'map' } }] };
const reading = objectsRead(
  podOn('one', 'web', {
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'login' }],
    initContainers: [{ name: 'first', env }],
    containers: [{ name: 'main', envFrom }],
    volumes: [
      { name: 'keys', secret: { secretName: 'mounted' } },
      { name: 'all', projected },
      { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
      { name: 'drive', csi: { driver: 'x', nodePublishSecretRef: { name: 'by-driver' } } },
    ],
  }),
  podOn('two', 'other', { imagePullSecrets: [{ name: 'theirs' }] }),
  podOn(
    'one',
    'mirror',
    { imagePullSecrets: [{ name: 'wished' }] },
    { 'kubernetes.io/config.mirror': 'x' },
  ),
  {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'volume' } },
    spec: { claimRef: { namespace: 'home', name: 'disk' } },
  },
  { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'free' }, spec: {} },
);
const decide = openNodeRights(reading);
const one = user('system:node:one', 'system:nodes');

/** `get pods/log of apps named x`, in `home`. */
function asked(words: string, who = one): Attributes {
  const match =
    /^(?<verb>\w+) (?<resource>[^/ ]+)(\/(?<sub>\S+))?( of (?<group>\S+))?( in (?<ns>\S+))?( named (?<name>\S+))?( where (?<field>\S+)=(?<value>\S+))?$/.exec(
      words,
    );
  const { verb = '', resource = '', sub, group = '', ns = 'home', name } = match?.groups ?? {};
  const { field, value = '' } = match?.groups ?? {};
  const fixed = field === undefined ? {} : { [field]: value };
  const about = { user: who, verb, group, version: 'v1', resource, name, fixed };
  return { ...about, subresource: sub, namespace: ns === 'nowhere' ? undefined : ns };
}

const stranger = "no relationship found between node 'one' and this object";

describe('a node', () => {
  it.each([
    ['get secrets named login'],
    ['list secrets named login'],
    ['watch secrets named by-env'],
    ['get secrets named by-env-from'],
    ['get secrets named by-source'],
    ['get secrets named mounted'],
    ['get secrets named by-driver'],
    ['get configmaps named map'],
    ['get configmaps named map-by-env'],
    ['get persistentvolumeclaims named disk'],
    ['get persistentvolumeclaims named web-scratch'],
    ['update persistentvolumeclaims/status named disk'],
    ['get persistentvolumes in nowhere named volume'],
    ['get serviceaccounts named robot'],
    ['create serviceaccounts/token named robot'],
    ['get leases of coordination.k8s.io in kube-node-lease named one'],
    ['create leases of coordination.k8s.io in kube-node-lease'],
    ['get csinodes of storage.k8s.io in nowhere named one'],
    ['get nodes in nowhere named one'],
    ['create nodes in nowhere'],
    ['patch nodes/status in nowhere named one'],
    ['get pods named web'],
    ['list pods in nowhere where spec.nodeName=one'],
    ['delete pods named web'],
    ['patch pods/status named web'],
    ['create pods/eviction named web'],
    ['list services in nowhere'],
    ['create events'],
  ])('may %s', (words) => {
    expect(decide(asked(words))).toEqual({ allowed: true, reason: '' });
  });

  it.each([
    ['get secrets named theirs', stranger],
    ['get secrets named wished', stranger],
    ['get secrets in away named login', stranger],
    ['list secrets', 'No Object name found'],
    ['list secrets in nowhere', 'can only read namespaced object of this type'],
    ['update secrets named login', 'can only read resources of this type'],
    ['get configmaps named login', stranger],
    ['list persistentvolumeclaims', 'can only get individual resources of this type'],
    ['get persistentvolumes in nowhere named free', stranger],
    ['get persistentvolumes in nowhere named none', stranger],
    ['get serviceaccounts named default', stranger],
    [
      'update serviceaccounts named robot',
      'can only create tokens for individual service accounts',
    ],
    ['create serviceaccounts/token named default', stranger],
    [
      'list leases of coordination.k8s.io in kube-node-lease',
      'can only get, create, update, patch, or delete a node lease',
    ],
    [
      'get leases of coordination.k8s.io named one',
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      'get leases of coordination.k8s.io in kube-node-lease named two',
      'can only access node lease with the same name as the requesting node',
    ],
    ['list nodes in nowhere', "node 'one' cannot read all nodes, only its own Node object"],
    ['get nodes in nowhere named two', "node 'one' cannot read 'two', only its own Node object"],
    ['delete nodes in nowhere named one', ''],
    ['get pods named other', stranger],
    ['list pods', 'can only list/watch pods with spec.nodeName field selector'],
    [
      'list pods where spec.nodeName=two',
      'can only list/watch pods with spec.nodeName field selector',
    ],
    ['update pods named web', ''],
    ['get pods/log named web', ''],
    ['get resourceclaims of resource.k8s.io named claim', stranger],
    ['create deployments of apps', ''],
  ])('may not %s', (words, reason) => {
    expect(decide(asked(words))).toEqual({ allowed: false, reason });
  });

  it('is who has the name and the group, and nobody else', () => {
    const words = 'get nodes in nowhere named one';
    expect(decide(asked(words, user('system:node:one')))).toBeUndefined();
    expect(decide(asked(words, user('one', 'system:nodes')))).toBeUndefined();
    expect(decide(asked(words, user('system:node:', 'system:nodes')))).toEqual({
      allowed: false,
      reason: 'unknown node for user "system:node:"',
    });
  });

  it('has beside that what roles give it', () => {
    const { decide: both } = openAuthorizer(
      objectsRead(
        role('reader', rule('', 'secrets', 'list')),
        bound('reads', 'ClusterRole reader', 'Group system:nodes'),
        bound('lost', 'ClusterRole gone', 'User system:node:one'),
      ),
    );
    expect(both(asked('list secrets')).allowed).toBe(true);
    expect(both(asked('update secrets'))).toEqual({
      allowed: false,
      reason:
        'can only read resources of this type\nRBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});
