import type { Json } from '#shared/domain/json.ts';
import type { Dice } from '../../dice.ts';
import type { Step } from '../../step.ts';
import { ask } from './ask.ts';

const pods = '/api/v1/namespaces/{ns}/pods';
const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';

const resources: readonly Json[] = [
  { requests: { cpu: '100m' } },
  { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
  { requests: { cpu: '1' }, limits: { cpu: '1' } },
  {},
];

function pod(name: string, dice: Dice): Step {
  const containers = [
    {
      name: 'main',
      image: 'nginx:1.29',
      resources: dice.one(resources),
      ...(dice.chance(0.3) && {
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
      }),
    },
    ...(dice.chance(0.3) ? [{ name: 'more', image: 'b' }] : []),
  ];
  const gated = dice.chance(0.15) ? { schedulingGates: [{ name: 'a.b/c' }] } : {};
  const metadata = { name, labels: { app: dice.one(['a', 'a', 'z']) } };
  return ask(`POST ${pods}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers, ...gated },
  });
}

function bound(name: string, dice: Dice): Step {
  const target = dice.one([
    { kind: 'Node', name: 'n' },
    { kind: 'Node', name: 'n', apiVersion: 'v1' },
    { name: 'n' },
    { kind: 'Pod', name: 'n' },
    { kind: 'Node', name: '' },
  ]);
  const metadata = dice.one<Json>([
    { name },
    { name, annotations: { a: 'b' }, labels: { x: 'y' } },
    { name, uid: 'x' },
    { name: 'other' },
    {},
  ]);
  const body = { apiVersion: 'v1', kind: 'Binding', metadata, target };
  return dice.chance(0.8)
    ? ask(`POST ${pods}/${name}/binding`, body)
    : ask(`POST /api/v1/namespaces/{ns}/bindings`, body);
}

function running(name: string, dice: Dice): Step {
  const ready = { type: 'Ready', status: dice.one(['True', 'True', 'False']) };
  const phase = dice.one(['Running', 'Running', 'Running', 'Succeeded', 'Failed', 'Pending']);
  const more = dice.one<Record<string, Json>>([
    {},
    { podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] },
    {
      containerStatuses: [
        {
          name: 'main',
          image: 'b',
          imageID: 'c',
          ready: true,
          restartCount: 0,
          state: { running: {} },
        },
      ],
    },
    {
      containerStatuses: [
        {
          name: 'main',
          image: 'b',
          imageID: 'c',
          ready: false,
          restartCount: 1,
          state: { terminated: { exitCode: 0 } },
        },
      ],
    },
    { observedGeneration: 1, resize: 'Deferred' },
    { nominatedNodeName: 'n', qosClass: 'Guaranteed' },
  ]);
  const verb = dice.one(['MERGE', 'STRATEGIC', 'APPLY']);
  const self = verb === 'APPLY' ? { apiVersion: 'v1', kind: 'Pod' } : {};
  const manager = verb === 'APPLY' ? '?fieldManager=kubelet' : '';
  return ask(`${verb} ${pods}/${name}/status${manager}`, {
    ...self,
    status: { phase, conditions: [ready], ...more },
  });
}

/** Pods that run are evicted, under a budget whose status somebody writes. */
export function eviction(dice: Dice): readonly Step[] {
  const names = ['a', 'b'];
  const spec = dice.one([
    { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
    {
      maxUnavailable: 1,
      selector: { matchLabels: { app: 'a' } },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
    { minAvailable: '50%', selector: {} },
    { maxUnavailable: 0, selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
  ]);
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'a' },
    spec,
  };
  const status = {
    observedGeneration: dice.one([1, 1, 1, 0]),
    disruptionsAllowed: dice.one([0, 1, 2]),
    currentHealthy: dice.one([1, 2]),
    desiredHealthy: 1,
    expectedPods: 2,
  };
  return [
    ...names.map((name) => pod(name, dice)),
    ...names.map((name) => running(name, dice)),
    ...(dice.chance(0.85) ? [ask(`POST ${budgets}`, budget)] : []),
    ...(dice.chance(0.1) ? [ask(`POST ${budgets}`, { ...budget, metadata: { name: 'b' } })] : []),
    ask(`MERGE ${budgets}/a/status`, { status }),
    ...Array.from({ length: 2 + dice.below(3) }, () => evicted(dice)),
    ask(`GET ${budgets}/a`),
    ask(`GET ${pods}`),
  ];
}

function evicted(dice: Dice): Step {
  const name = dice.one(['a', 'a', 'b', 'none']);
  const deleteOptions = dice.one<Record<string, Json>>([
    {},
    {},
    { deleteOptions: { gracePeriodSeconds: 0 } },
    { deleteOptions: { gracePeriodSeconds: -1 } },
    { deleteOptions: { dryRun: ['All'] } },
    { deleteOptions: { preconditions: { uid: 'x' } } },
    { deleteOptions: { preconditions: { resourceVersion: '1' } } },
    { deleteOptions: { propagationPolicy: 'Orphan' } },
  ]);
  const query = dice.one(['', '', '', '?dryRun=All', '?dryRun=x']);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...deleteOptions };
  return ask(`POST ${pods}/${name}/eviction${query}`, body);
}

/** What may still be changed of a pod, through the doors that there are for it. */
export function later(dice: Dice): readonly Step[] {
  const turns = Array.from({ length: 4 + dice.below(5) }, () =>
    dice.weighed<() => Step>([
      [3, () => debugged(dice)],
      [3, () => resized(dice)],
      [2, () => running('a', dice)],
      [2, () => bound('a', dice)],
      [1, () => ungated(dice)],
      [
        1,
        () => ask(`GET ${pods}/a${dice.one(['', '/status', '/ephemeralcontainers', '/resize'])}`),
      ],
      [0.5, () => ask(`DELETE ${pods}/a${dice.one(['', '?gracePeriodSeconds=0'])}`)],
    ])(),
  );
  return [pod('a', dice), ...turns];
}

function debugged(dice: Dice): Step {
  const one = dice.one<Json>([
    { name: 'debug', image: 'busybox' },
    { name: 'debug', image: 'busybox', targetContainerName: 'main', stdin: true, tty: true },
    { name: 'main', image: 'busybox' },
    { name: 'debug', image: 'other' },
    { name: 'again', image: 'busybox', targetContainerName: 'nobody' },
    { name: 'again', image: 'busybox', ports: [{ containerPort: 80 }] },
    { name: 'again', image: 'busybox', resources: { limits: { cpu: '1' } } },
    { name: 'again' },
    { image: 'busybox' },
  ]);
  const at = `${pods}/a/ephemeralcontainers`;
  const value = { spec: { ephemeralContainers: [one] } };
  const self = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  return dice.one([
    ask(`STRATEGIC ${at}`, value),
    ask(`STRATEGIC ${at}`, value),
    ask(`MERGE ${at}`, value),
    ask(`APPLY ${at}?fieldManager=me`, { ...self, ...value }),
    ask(`STRATEGIC ${pods}/a`, value),
    ask(`JSON ${at}`, [{ op: 'add', path: '/spec/ephemeralContainers', value: [one] }]),
    ask(`MERGE ${at}`, { spec: { ephemeralContainers: null }, metadata: { labels: { new: 'x' } } }),
  ]);
}

function resized(dice: Dice): Step {
  const next = dice.one<Json>([
    { requests: { cpu: '150m' } },
    { requests: { cpu: '200m', memory: '128Mi' }, limits: { cpu: '300m', memory: '128Mi' } },
    { limits: { cpu: '50m' } },
    { requests: { cpu: '1' }, limits: { cpu: '1' } },
    { limits: { memory: '32Mi' } },
    { requests: { 'ephemeral-storage': '1Gi' } },
    { requests: { cpu: null } },
    { requests: { cpu: 'x' } },
    {},
  ]);
  const value = {
    spec: {
      containers: [{ name: dice.one(['main', 'main', 'main', 'more', 'none']), resources: next }],
    },
  };
  const at = `${pods}/a/resize`;
  const self = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  return dice.one([
    ask(`STRATEGIC ${at}`, value),
    ask(`STRATEGIC ${at}`, value),
    ask(`STRATEGIC ${pods}/a`, value),
    ask(`APPLY ${at}?fieldManager=me`, { ...self, ...value }),
    ask(`JSON ${at}`, [{ op: 'replace', path: '/spec/containers/0/resources', value: next }]),
    ask(`STRATEGIC ${at}`, {
      spec: { containers: [{ name: 'main', image: 'other' }], nodeName: 'x' },
    }),
  ]);
}

function ungated(dice: Dice): Step {
  return dice.one([
    ask(`MERGE ${pods}/a`, { spec: { schedulingGates: [] } }),
    ask(`MERGE ${pods}/a`, { spec: { nodeSelector: { x: 'y' } } }),
    ask(`MERGE ${pods}/a`, { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } }),
    ask(`MERGE ${pods}/a`, { spec: { activeDeadlineSeconds: dice.one([5, 50, 0]) } }),
  ]);
}
