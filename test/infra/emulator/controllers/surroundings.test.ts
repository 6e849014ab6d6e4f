import { describe, expect, it } from 'vitest';
import { aggregated } from '#infra/emulator/controllers/cluster-roles/cluster-roles.ts';
import {
  budgetStatus,
  disruptedPods,
  type Expected,
} from '#infra/emulator/controllers/disruption/plan-budget.ts';
import {
  backendsOf,
  slicesOf,
  subsetsOf,
} from '#infra/emulator/controllers/endpoints/plan-endpoints.ts';
import { emptyNamespace } from '#infra/emulator/controllers/namespaces/empty-namespace.ts';
import {
  endingConditions,
  isEmptied,
} from '#infra/emulator/controllers/namespaces/namespace-life.ts';
import type {
  Budget,
  ClusterRole,
  Namespace,
  Node,
  Service,
} from '#infra/emulator/controllers/shapes/surroundings.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { metaOf, now, pod, ready, unready } from './making.ts';

const leaving = { deletionTimestamp: now.toISOString() };

describe('budgetStatus', () => {
  const pods = [
    pod('a', { status: ready }),
    pod('b', { status: ready }),
    pod('c', { status: unready }),
    pod('d', { metadata: leaving, status: ready }),
  ];
  const budget = (spec: Budget['spec']): Budget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metaOf('web'),
    spec,
  });
  const three: Expected = { kind: 'count', pods: 3 };

  it.each<[string, Budget['spec'], Expected, object]>([
    [
      'a number that must stay',
      { minAvailable: 1 },
      three,
      { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 },
    ],
    [
      'a share that must stay, rounded up',
      { minAvailable: '50%' },
      three,
      { desiredHealthy: 2, disruptionsAllowed: 0 },
    ],
    [
      'a number that may go',
      { maxUnavailable: 2 },
      three,
      { desiredHealthy: 1, disruptionsAllowed: 1 },
    ],
    [
      'a share that may go, rounded up',
      { maxUnavailable: '10%' },
      three,
      { desiredHealthy: 2, disruptionsAllowed: 0 },
    ],
    ['nobody to guard', { minAvailable: 0 }, { kind: 'count', pods: 0 }, { disruptionsAllowed: 0 }],
    [
      'a whole that nobody states',
      { maxUnavailable: 1 },
      { kind: 'unknown', why: 'found no controller' },
      { disruptionsAllowed: 0, conditions: [{ reason: 'SyncFailed' }] },
    ],
  ])('of %s', (_, spec, expected, status) => {
    expect(budgetStatus(budget(spec), { pods, expected, disrupted: {}, now })).toMatchObject(
      status,
    );
  });

  it('does not count a pod whose eviction was granted', () => {
    const facts = { pods, expected: three, disrupted: { a: now.toISOString() }, now };
    expect(budgetStatus(budget({ minAvailable: 1 }), facts)).toMatchObject({
      currentHealthy: 1,
      disruptionsAllowed: 0,
    });
  });

  it.each<[string, string, number, number]>([
    ['keeps an eviction of a pod that is there still', 'a', 1_000, 1],
    ['forgets an eviction when the pod goes', 'd', 1_000, 0],
    ['forgets an eviction when the pod is gone', 'gone', 1_000, 0],
    ['forgets an eviction when the pod does not go in two minutes', 'a', 121_000, 0],
    ['forgets an eviction when another pod has the name', 'new', 1_000, 0],
  ])('%s', (_, name, agoMs, left) => {
    const at = (ms: number) => new Date(now.getTime() - ms).toISOString();
    const old = { creationTimestamp: at(600_000) };
    const seen = [
      pod('a', { metadata: old }),
      pod('d', { metadata: { ...old, ...leaving } }),
      pod('new', { metadata: { creationTimestamp: at(agoMs) } }),
    ];
    const status = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 };
    const known = { ...budget({}), status: { ...status, disruptedPods: { [name]: at(agoMs) } } };
    const { kept, nextMs } = disruptedPods(known, seen, now);
    expect(Object.keys(kept)).toHaveLength(left);
    expect(nextMs).toBe(left === 0 ? undefined : 120_000 - agoMs);
  });
});

describe('endpoints', () => {
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metaOf('web'),
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  };
  const labels = { app: 'web' };
  const http = (containerPort: number) => ({
    containers: [{ name: 'app', image: 'a', ports: [{ name: 'http', containerPort }] }],
  });
  const made = [
    pod('a', { metadata: { labels }, spec: http(8_080), status: ready }),
    pod('b', { metadata: { labels }, spec: http(8_080), status: unready }),
    pod('c', { metadata: { labels }, spec: http(9_090), status: { ...ready, podIP: '10.0.0.3' } }),
    pod('d', {
      metadata: { labels, ...leaving },
      spec: http(8_080),
      status: { ...ready, podIP: '10.0.0.4' },
    }),
  ];
  const somewhere = (name: string): Node => ({
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: metaOf(name, { labels: { 'topology.kubernetes.io/zone': 'z' } }),
  });
  const backends = backendsOf(service, made, somewhere);

  it('stand in one subset for each port, the ready ones apart', () => {
    expect(subsetsOf(service, backends)).toMatchObject([
      {
        addresses: [{ ip: '10.0.0.1' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [{ port: 8_080 }],
      },
      { addresses: [{ ip: '10.0.0.3' }], ports: [{ port: 9_090 }] },
    ]);
  });

  it('say in slices who still serves while it ends', () => {
    const [slice] = slicesOf(service, backends);
    expect(slice?.endpoints.map(({ addresses, conditions }) => [...addresses, conditions])).toEqual(
      [
        ['10.0.0.1', { ready: true, serving: true, terminating: false }],
        ['10.0.0.2', { ready: false, serving: false, terminating: false }],
        ['10.0.0.4', { ready: false, serving: true, terminating: true }],
      ],
    );
  });

  it('count as ready where a service wants them before they are', () => {
    const early = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } };
    const [slice] = slicesOf(early, backendsOf(early, made, somewhere));
    expect(slice?.endpoints.every(({ conditions }) => conditions.ready)).toBe(true);
  });

  it('stand in no slice without a node, and in the zone of theirs', () => {
    const [slice] = slicesOf(service, backends);
    expect(slice?.endpoints.map(({ zone }) => zone)).toEqual(['z', 'z', 'z']);
    const nowhere = backendsOf(service, made, () => undefined);
    expect(slicesOf(service, nowhere)).toEqual([]);
    expect(subsetsOf(service, nowhere)).toHaveLength(2);
  });

  it('share a subset for each port that they have in common', () => {
    const ports = [
      { name: 'web', port: 80, targetPort: 'http' },
      { name: 'fixed', port: 81, targetPort: 9 },
    ];
    const both = { ...service, spec: { ...service.spec, ports } };
    const some = [
      made[0],
      pod('z', { metadata: { labels }, status: { ...ready, podIP: '10.0.0.9' } }),
    ];
    const subsets = subsetsOf(
      both,
      backendsOf(
        both,
        some.flatMap((each) => each ?? []),
        somewhere,
      ),
    );
    expect(subsets).toMatchObject([
      { addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'web', port: 8_080 }] },
      { addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.9' }], ports: [{ name: 'fixed', port: 9 }] },
    ]);
  });

  it('stand in no subset without the port that the service names', () => {
    const other = pod('x', { metadata: { labels }, status: ready });
    expect(subsetsOf(service, backendsOf(service, [other], somewhere))).toEqual([]);
  });

  it('fill slices of a hundred', () => {
    const crowd = Array.from({ length: 250 }, (_, at) =>
      pod(`p${at}`, { metadata: { labels }, spec: http(80), status: ready }),
    );
    expect(
      slicesOf(service, backendsOf(service, crowd, somewhere)).map(
        ({ endpoints }) => endpoints.length,
      ),
    ).toEqual([100, 100, 50]);
  });
});

describe('a namespace that ends', () => {
  const namespace: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: metaOf('team', leaving),
  };
  const clean = {
    hasPods: false,
    ...{ counts: new Map(), finalizers: new Map(), undiscovered: [], failures: [] },
  };

  it('is empty only when all was asked and nothing was found', () => {
    expect(isEmptied(clean)).toBe(true);
    expect(isEmptied({ ...clean, counts: new Map([['secrets.', 1]]) })).toBe(false);
    expect(isEmptied({ ...clean, hasPods: true })).toBe(false);
    expect(isEmptied({ ...clean, undiscovered: ['metrics.k8s.io/v1'] })).toBe(false);
  });

  it('says what is left, and who holds it', () => {
    const remains = {
      ...clean,
      counts: new Map([['secrets.', 2]]),
      finalizers: new Map([['x.example/hold', 1]]),
    };
    const bad = endingConditions(namespace, remains, now).filter(({ status }) => status === 'True');
    expect(bad.map(({ type, message }) => [type, message])).toEqual([
      [
        'NamespaceContentRemaining',
        'Some resources are remaining: secrets. has 2 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'Some content in the namespace has finalizers remaining: x.example/hold in 1 resource instances',
      ],
    ]);
  });
});

describe('emptyNamespace', () => {
  const widgets = { group: 'x.y', version: 'v1', kind: 'Widget', resource: 'widgets' };
  const verbs = ['delete', 'get', 'list'];

  it('removes one by one what cannot be removed at once', async () => {
    const names = new Set(['a', 'b']);
    const widget = (name: string): KubeObject => ({
      ...{ apiVersion: 'x.y/v1', kind: 'Widget' },
      metadata: { name, namespace: 'team', uid: name },
    });
    const remains = await emptyNamespace('team', {
      discover: async () => ({ kinds: [{ ...widgets, namespaced: true, verbs }], failures: [] }),
      listMetadata: async () => ({
        kind: 'page',
        objects: [...names].map(widget),
        ...{ resourceVersion: '1', continue: undefined, bytes: 0 },
      }),
      api: {
        async remove({ name }) {
          names.delete(name);
          return { kind: 'written', object: widget(name) };
        },
        removeAll: async () => ({ kind: 'refused', status: 405, why: 'MethodNotAllowed' }),
      },
    });
    expect(isEmptied(remains)).toBe(true);
  });
});

describe('a cluster role of others', () => {
  const role = (
    name: string,
    labels: Readonly<Record<string, string>>,
    verbs: readonly string[],
  ): ClusterRole => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: metaOf(name, { labels }),
    rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
  });

  it('has the rules of those that it selects, each once', () => {
    const sum = {
      ...role('sum', { to: 'sum' }, []),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'sum' } }] },
    };
    const others = [
      role('b', { to: 'sum' }, ['list']),
      role('a', { to: 'sum' }, ['get']),
      role('c', { to: 'sum' }, ['get']),
      role('d', {}, ['delete']),
    ];
    expect(aggregated(sum, [sum, ...others]).map((rule) => rule['verbs'])).toEqual([
      ['get'],
      ['list'],
    ]);
  });
});
