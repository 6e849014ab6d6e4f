import type { Json } from '#shared/domain/json.ts';
import type { Dice } from '../../dice.ts';
import type { Step } from '../../step.ts';
import { ask } from './ask.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const account = '/api/v1/namespaces/{ns}/serviceaccounts/a';

/** Tokens of an account are asked for, and who and what may what. */
export function questions(dice: Dice): readonly Step[] {
  const self = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } };
  const turns = Array.from({ length: 4 + dice.below(5) }, () =>
    dice.one([token, token, review])(dice),
  );
  return [ask('POST /api/v1/namespaces/{ns}/serviceaccounts', self), ...turns];
}

function token(dice: Dice): Step {
  const spec = dice.one<Json>([
    {},
    { expirationSeconds: 600 },
    { expirationSeconds: 599 },
    { expirationSeconds: 4294967297 },
    { audiences: ['a', 'b'], expirationSeconds: 3607 },
    { audiences: [] },
    { audiences: [''] },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none', uid: 'x' } },
    { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Pod', name: 'none' } },
    { boundObjectRef: { name: 'none' } },
    { unknown: 1 },
  ]);
  const self = dice.one<Record<string, Json>>([
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    { metadata: { name: 'other' } },
    { metadata: { namespace: 'other' } },
    { kind: 'Nope' },
  ]);
  const query = dice.one(['', '', '', '?dryRun=All', '?fieldValidation=Strict', '?dryRun=x']);
  const name = dice.one(['a', 'a', 'a', 'none']);
  return ask(`POST ${account.replace(/a$/, name)}/token${query}`, { ...self, spec });
}

const about = [
  { resourceAttributes: { verb: 'get', resource: 'pods', namespace: '{ns}' } },
  {
    resourceAttributes: {
      verb: 'get',
      resource: 'pods',
      namespace: '{ns}',
      name: 'a',
      subresource: 'log',
    },
  },
  { resourceAttributes: { verb: '*', resource: '*', group: '*' } },
  { resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'a=b' } } },
  {
    resourceAttributes: {
      verb: 'list',
      resource: 'pods',
      labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
    },
  },
  {
    resourceAttributes: {
      verb: 'list',
      resource: 'pods',
      labelSelector: { requirements: [{ key: 'a', operator: 'Nope' }], rawSelector: 'x' },
    },
  },
  { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
  {
    nonResourceAttributes: { path: '/x', verb: 'post' },
    resourceAttributes: { verb: 'get', resource: 'pods' },
  },
  { resourceAttributes: {} },
  {},
] as const;

const whom = [
  { user: 'somebody' },
  { user: 'system:serviceaccount:{ns}:a', groups: ['system:serviceaccounts'] },
  { user: 'root', groups: ['system:masters'], extra: { a: ['b'] } },
  { groups: ['system:authenticated'], uid: 'x' },
  {},
] as const;

function review(dice: Dice): Step {
  const [attributes, subject] = [dice.one(about), dice.one(whom)];
  const query = dice.one([
    '',
    '',
    '',
    '',
    '?dryRun=All',
    '?fieldValidation=Strict',
    '?pretty=true',
  ]);
  const made = (path: string, kind: string, spec: Json) => {
    const group = path.startsWith(authentication) ? 'authentication' : 'authorization';
    const more = dice.one<Record<string, Json>>([
      {},
      {},
      {},
      {},
      { metadata: { name: 'x' } },
      { unknown: 1 },
      { status: { allowed: true } },
    ]);
    return ask(`POST ${path}${query}`, { apiVersion: `${group}.k8s.io/v1`, kind, spec, ...more });
  };
  return dice.one([
    () => made(`${authorization}/selfsubjectaccessreviews`, 'SelfSubjectAccessReview', attributes),
    () =>
      made(`${authorization}/subjectaccessreviews`, 'SubjectAccessReview', {
        ...attributes,
        ...subject,
      }),
    () =>
      made(
        `${authorization}/namespaces/{ns}/localsubjectaccessreviews`,
        'LocalSubjectAccessReview',
        {
          ...attributes,
          ...subject,
        },
      ),
    () =>
      made(`${authorization}/selfsubjectrulesreviews`, 'SelfSubjectRulesReview', {
        namespace: dice.one(['{ns}', '', 'none']),
      }),
    () => made(`${authentication}/selfsubjectreviews`, 'SelfSubjectReview', {}),
    () =>
      made(
        `${authentication}/tokenreviews`,
        'TokenReview',
        dice.one<Json>([
          { token: '{jwt}' },
          { token: '{jwt}', audiences: ['a'] },
          { token: 'x' },
          {},
        ]),
      ),
  ])();
}
