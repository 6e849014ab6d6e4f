import { describe, expect, it } from 'vitest';
import {
  forbiddenLabels,
  isForbiddenLabel,
} from '#infra/emulator/cluster/admission/steps/node-labels.ts';
import { nodeRestriction } from '#infra/emulator/cluster/admission/steps/node-restriction.ts';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import { serviceAccounts } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from '../access/objects-read.ts';
import { user } from '../access/roles.ts';
import { admitting, pod, podKind } from './admitting.ts';

const own = { uid: 'u-web', name: 'web' };
const reading = objectsRead(
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one', uid: 'u-one' } },
  pod({ nodeName: 'one' }, own),
  pod({ nodeName: 'two' }, { uid: 'u-far', name: 'far' }),
);
const one = user('system:node:one', 'system:nodes');

function why(what: Admitting): string | undefined {
  const refused = nodeRestriction({ ...what, user: one }, reading);
  if (refused === undefined) return undefined;
  expect(isRefusal(refused)).toBe(true);
  return String(Object(refused.body).message).replace(/^.* is forbidden: /, '');
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'u-one', controller: true };
const mirror = (spec: JsonObject, ...owners: readonly JsonObject[]) =>
  pod(
    { nodeName: 'one', ...spec },
    { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: owners },
  );
const may = 'node "one" can only create pods with';

describe('a node', () => {
  it.each([
    ['its own', mirror({}, owner), undefined],
    [
      'no mirror',
      pod({ nodeName: 'one' }),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "one" can only create mirror pods',
    ],
    ['elsewhere', mirror({ nodeName: 'two' }, owner), `${may} spec.nodeName set to itself`],
    ['of nobody', mirror({}), `${may} an owner reference set to itself`],
    ['of two', mirror({}, owner, owner), `${may} a single owner reference set to itself`],
    [
      'of another',
      mirror({}, { ...owner, name: 'two' }),
      `${may} an owner reference set to itself`,
    ],
    [
      'of no controller',
      mirror({}, { ...owner, controller: false }),
      `${may} a controller owner reference set to itself`,
    ],
    [
      'that it blocks',
      mirror({}, { ...owner, blockOwnerDeletion: true }),
      'node "one" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      'of an earlier one',
      mirror({}, { ...owner, uid: 'x' }),
      'node one UID mismatch: expected x got u-one',
    ],
    [
      'with a secret',
      mirror({ imagePullSecrets: [{ name: 'x' }] }, owner),
      'node "one" can not create pods that reference secrets',
    ],
    [
      'with an account',
      mirror({ serviceAccountName: 'x' }, owner),
      'node "one" can not create pods that reference serviceaccounts',
    ],
  ])('makes a pod that is %s', (_, object, expected) => {
    expect(why(admitting(podKind, object))).toBe(expected);
  });

  it.each([
    ['its own pod', own, undefined],
    [
      'an older one of the name',
      { ...own, uid: 'x' },
      'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      "another's pod",
      { name: 'far', uid: 'u-far' },
      'node requested token bound to a pod scheduled on a different node',
    ],
    [
      'a pod without a uid',
      { name: 'web' },
      'node requested token with a pod binding without a uid',
    ],
    ['no pod', undefined, 'node requested token not bound to a pod'],
  ])('asks for a token for %s', (_, bound, expected) => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', ...bound };
    const object = { spec: bound === undefined ? {} : { boundObjectRef } };
    const what = admitting(builtIn(serviceAccounts), object, { subresource: 'token' });
    expect(why(what)).toBe(expected);
  });

  it('alone is held to that', () => {
    expect(nodeRestriction(admitting(podKind, pod({ nodeName: 'one' })), reading)).toBeUndefined();
  });
});

describe('labels of a node', () => {
  it.each([
    ['disk', false],
    ['example.com/disk', false],
    ['kubernetes.io/hostname', false],
    ['a.node.kubernetes.io/x', false],
    ['kubelet.kubernetes.io/x', false],
    ['kubernetes.io/role', true],
    ['node-role.kubernetes.io/master', true],
    ['x.k8s.io/y', true],
    ['notk8s.io/y', false],
    ['a.node-restriction.kubernetes.io/x', true],
  ])('%s: it may not state it: %s', (key, expected) => {
    expect(isForbiddenLabel(key)).toBe(expected);
  });

  it('count where they are set, changed or taken away', () => {
    const before = { 'k8s.io/a': '1', 'k8s.io/b': '1', 'k8s.io/c': '1', d: '1' };
    const next = { 'k8s.io/a': '1', 'k8s.io/b': '2', 'k8s.io/e': '1', d: '2' };
    expect(forbiddenLabels(next, before)).toEqual(['k8s.io/b', 'k8s.io/c', 'k8s.io/e']);
  });
});
