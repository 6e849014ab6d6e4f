import type { Json } from '#shared/domain/json.ts';
import type { Dice } from '../dice.ts';
import type { Body, Step } from '../step.ts';
import { type Chooser, objectPath } from './chooser.ts';
import { applied, jsonPatched, merged, strategic } from './patches.ts';
import { got } from './reads.ts';
import { made, removed, updated } from './writes.ts';

/** The same verbs, on a part of the object. */
export function below(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const [some] = subject.subresources;
  if (some === undefined) return got(chooser);
  const name = dice.one([...subject.subresources, some, some, some]);
  const verb = dice.weighed<(of: Chooser) => Step>([
    [3, updated],
    [2, merged],
    [2, strategic],
    [1, jsonPatched],
    [3, applied],
    [3, got],
    [1, made],
    [0.5, removed],
  ]);
  const isView = name === 'scale' || name === 'eviction' || name === 'binding' || name === 'token';
  const drawn = verb(chooser);
  const path = `${drawn.method === 'POST' ? objectPath(chooser) : drawn.path}/${name}`;
  return isView && drawn.body !== undefined
    ? { ...drawn, path, body: viewBody(name, drawn, dice) }
    : { ...drawn, path };
}

function viewBody(name: string, { method, headers }: Step, dice: Dice): Body {
  const scales: readonly Json[] = [
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: '{ns}' },
      spec: { replicas: dice.one([0, 1, 4, -1]) },
    },
    { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } },
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', resourceVersion: '{rv}' },
      spec: { replicas: 5 },
    },
    { spec: { replicas: 'x' } },
    { kind: 'Nope', spec: { replicas: 1 } },
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a' },
      spec: { replicas: 3, unknown: 1 },
      status: { replicas: 9 },
    },
  ];
  const actions: Readonly<Record<string, readonly Json[]>> = {
    eviction: [
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'z' } },
      {},
      { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'a' } },
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a' },
        deleteOptions: { dryRun: ['All'], preconditions: { uid: 'x' } },
      },
    ],
    binding: [
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'n' },
      },
      { target: { name: 'n' } },
      { metadata: { name: 'a' }, target: { kind: 'Pod', name: 'n' } },
      { metadata: { name: 'a' } },
    ],
    token: [
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      { spec: { expirationSeconds: 5 } },
      { spec: { boundObjectRef: { kind: 'Pod', name: 'x' } } },
      { kind: 'Nope' },
    ],
  };
  if (method === 'PATCH' && /json-patch/.test(headers['content-type'] ?? '')) {
    return {
      kind: 'json',
      value: [
        {
          op: dice.one(['replace', 'add', 'test']),
          path: '/spec/replicas',
          value: dice.one([2, -1, 'x', 1]),
        },
      ],
    };
  }
  return { kind: 'json', value: dice.one(actions[name] ?? scales) };
}
