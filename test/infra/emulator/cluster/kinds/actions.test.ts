import { describe, expect, it } from 'vitest';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { act, said, subresourceOf, worldOf } from './acting.ts';

const pod = (status: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    labels: { app: 'a' },
    ...metadata,
  },
  spec: { containers: [{ name: 'a', image: 'x' }] },
  status: { phase: 'Pending', ...status },
});

const running = (ready: 'True' | 'False') =>
  pod({ phase: 'Running', conditions: [{ type: 'Ready', status: ready }] });

const budget = (status: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'b', namespace: 'default', generation: 1, resourceVersion: '1' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } }, ...spec },
  status: { observedGeneration: 1, ...status },
});

const evicting = act(['v1', 'Pod', 'eviction'], { metadata: { name: 'p' } }, running('True'));
const budgets = 'poddisruptionbudgets.policy';
const violated = "Cannot evict pod as it would violate the pod's disruption budget.";

describe('eviction', () => {
  it('spends the budget, marks the pod and deletes it', async () => {
    const status = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 };
    const { world, updates, removals } = worldOf({ [budgets]: [budget(status)] });

    expect(said(await evicting(world))).toEqual([201, 'Success']);
    expect(updates).toMatchObject([
      [
        budgets,
        { status: { disruptionsAllowed: 0, disruptedPods: { p: '2030-01-01T00:00:00Z' } } },
      ],
      ['pods', { status: { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget' }] } }],
    ]);
    expect(removals).toEqual([['pods', 'p', {}]]);
  });

  it.each([
    [
      'has no disruption left',
      { currentHealthy: 1, desiredHealthy: 1 },
      'needs 1 healthy pods and has 1 currently',
    ],
    [
      'says why not',
      {
        currentHealthy: 2,
        desiredHealthy: 1,
        conditions: [
          { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'm' },
        ],
      },
      'does not allow evicting pods currently because it failed sync: m',
    ],
    ['is not counted yet', { observedGeneration: 0 }, 'is still being processed by the server.'],
  ])('waits where the budget %s', async (_, status, why) => {
    const { world, removals } = worldOf({ [budgets]: [budget(status)] });
    const answer = await evicting(world);

    expect(said(answer)).toEqual([429, violated]);
    expect(isRefusal(answer) && answer.body).toMatchObject({
      reason: 'TooManyRequests',
      details: {
        causes: [{ reason: 'DisruptionBudget', message: `The disruption budget b ${why}` }],
      },
    });
    expect(removals).toEqual([]);
  });

  it('says after how many seconds to come again only where the budget is behind', async () => {
    const behind = await evicting(
      worldOf({ [budgets]: [budget({ observedGeneration: 0 })] }).world,
    );
    const spent = await evicting(worldOf({ [budgets]: [budget({})] }).world);

    expect(isRefusal(behind) && behind.headers).toEqual({ 'retry-after': '10' });
    expect(isRefusal(spent) && spent.headers).toEqual({});
  });

  it.each([
    ['does not run yet', pod(), {}],
    ['is over', pod({ phase: 'Succeeded' }), {}],
    ['is going', pod({ phase: 'Running' }, { deletionTimestamp: '2030-01-01T00:00:00Z' }), {}],
    [
      'is not ready, and the budget lets such go',
      running('False'),
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    ],
  ])('asks no budget for a pod that %s', async (_, on, spec) => {
    const { world, removals } = worldOf({ [budgets]: [budget({}, spec)] });
    const answer = await act(['v1', 'Pod', 'eviction'], { metadata: { name: 'p' } }, on)(world);

    expect(said(answer)).toEqual([201, 'Success']);
    expect(removals).toHaveLength(1);
  });

  it('deletes a pod that waits only as it was seen', async () => {
    const { world, removals } = worldOf({});
    await act(['v1', 'Pod', 'eviction'], { metadata: { name: 'p' } }, pod())(world);

    expect(removals).toEqual([['pods', 'p', { preconditions: { resourceVersion: '2' } }]]);
  });

  it('holds an unready pod while too few are healthy', async () => {
    const { world } = worldOf({ [budgets]: [budget({ currentHealthy: 1, desiredHealthy: 2 })] });
    const on = running('False');
    const answer = await act(['v1', 'Pod', 'eviction'], { metadata: { name: 'p' } }, on)(world);

    expect(said(answer)).toEqual([429, violated]);
  });

  it('refuses a pod of two budgets', async () => {
    const two = [budget({ disruptionsAllowed: 1 }), budget({ disruptionsAllowed: 1 })];
    expect(said(await evicting(worldOf({ [budgets]: two }).world))).toEqual([
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ]);
  });

  it('writes nothing in a dry run, and hands it on to the deletion', async () => {
    const status = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 };
    const { world, updates, removals } = worldOf({ [budgets]: [budget(status)] }, { dryRun: true });

    expect(said(await evicting(world))).toEqual([201, 'Success']);
    expect([updates, removals]).toEqual([[], [['pods', 'p', { dryRun: ['All'] }]]]);
  });

  it('takes no pod of another uid', async () => {
    const sent = { metadata: { name: 'p' }, deleteOptions: { preconditions: { uid: 'other' } } };
    const answer = await act(['v1', 'Pod', 'eviction'], sent, running('True'))(worldOf({}).world);

    expect(said(answer)).toEqual([
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (u). The object might have been deleted and then recreated',
    ]);
  });
});

describe('binding', () => {
  const bind = (sent: JsonObject, on: JsonObject, dryRun = false) => {
    const { world, updates } = worldOf({}, { dryRun });
    return act(['v1', 'Pod', 'binding'], sent, on)(world).then((answer) => ({ answer, updates }));
  };
  const to = (name: string, metadata: JsonObject = {}): JsonObject => ({
    metadata: { name: 'p', ...metadata },
    target: { kind: 'Node', name },
  });

  it('puts the pod on the node, with what the binding says of it', async () => {
    const { answer, updates } = await bind(to('n', { annotations: { x: 'y' } }), pod());

    expect(said(answer)).toEqual([201, 'Success']);
    expect(updates).toMatchObject([
      [
        'pods',
        {
          metadata: { annotations: { x: 'y' } },
          spec: { nodeName: 'n' },
          status: {
            conditions: [
              { type: 'PodScheduled', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
            ],
          },
        },
      ],
    ]);
  });

  it.each([
    ['without a node', to(''), pod(), [500, 'target.name: Required value']],
    [
      'of another pod',
      to('n', { name: 'q' }),
      pod(),
      [400, 'name in URL does not match name in Binding object'],
    ],
    [
      'of a pod that has a node',
      to('n'),
      { ...pod(), spec: { nodeName: 'm' } },
      [
        409,
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "m"',
      ],
    ],
    [
      'of a pod that is held back',
      to('n'),
      { ...pod(), spec: { schedulingGates: [{ name: 'g' }] } },
      [
        409,
        'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
      ],
    ],
    [
      'of a pod that is going',
      to('n'),
      pod({}, { deletionTimestamp: 'x' }),
      [
        409,
        'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
      ],
    ],
  ])('refuses one %s', async (_, sent, on, expected) => {
    const { answer, updates } = await bind(sent, on);
    expect([said(answer), updates]).toEqual([expected, []]);
  });

  it('changes nothing in a dry run', async () => {
    expect((await bind(to('n'), pod(), true)).updates).toEqual([]);
  });
});

describe('a token', () => {
  const account = { metadata: { name: 'sa', namespace: 'default', uid: 'u' } };
  const asking = (sent: JsonObject, pods: readonly JsonObject[] = []) =>
    act(['v1', 'ServiceAccount', 'token'], sent, account)(worldOf({ pods }).world);

  it('is asked for an hour, in the name of the account', async () => {
    expect(await asking({})).toMatchObject({
      metadata: { name: 'sa', namespace: 'default', uid: 'u' },
      spec: { expirationSeconds: 3600 },
      status: { token: 'issued' },
    });
  });

  const bound = (ref: JsonObject): JsonObject => ({ spec: { boundObjectRef: ref } });

  it.each([
    [
      'of minutes',
      { spec: { expirationSeconds: 5 } },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    ],
    [
      'of another name',
      { metadata: { name: 'x' } },
      422,
      'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      'of another uid',
      { metadata: { uid: 'x' } },
      409,
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in the token request (x) does not match the UID of the service account (u)',
    ],
    [
      'of a pod that is not there',
      bound({ apiVersion: 'v1', kind: 'Pod', name: 'q' }),
      404,
      'pods "q" not found',
    ],
    [
      'of a pod of another account',
      bound({ apiVersion: 'v1', kind: 'Pod', name: 'p' }),
      400,
      'cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name.',
    ],
  ])('is refused %s', async (_, sent, code, message) => {
    expect(said(await asking(sent, [pod()]))).toEqual([code, message]);
  });
});

describe('a scale', () => {
  const set = {
    metadata: {
      name: 'd',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '7',
      generation: 3,
      labels: { x: 'y' },
    },
    spec: {
      replicas: 2,
      selector: {
        matchLabels: { b: 'c', a: 'b' },
        matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['z', 'y'] }],
      },
    },
    status: { replicas: 1 },
  };
  const scale = subresourceOf('apps/v1', 'Deployment', 'scale');
  const taken = (replicas: number) =>
    scale.shape === 'view' && scale.taken({ metadata: set.metadata, spec: { replicas } }, set);

  it('shows how many there are and which they are', () => {
    expect(scale.shape === 'view' && scale.shown(set)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'default', uid: 'u', resourceVersion: '7' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b,b=c,x notin (y,z)' },
    });
  });

  it('counts as a change of the spec', () => {
    expect(taken(5)).toMatchObject({
      metadata: { generation: 4 },
      spec: { replicas: 5, selector: set.spec.selector },
    });
  });

  it('takes nothing below nought', () => {
    expect(taken(-1)).toEqual([
      {
        field: 'spec.replicas',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: -1: must be greater than or equal to 0',
      },
    ]);
  });
});

describe('a log', () => {
  const read = (spec: JsonObject, sent: JsonObject = {}) =>
    act(['v1', 'Pod', 'log'], sent, { ...pod(), spec })(worldOf({}).world);
  const x = { name: 'x' };
  const y = { name: 'y' };

  it('says that there is none of a pod that some node has, and nothing of one that none has', async () => {
    const text = await read({ nodeName: 'n', containers: [x] });
    expect(text).toBe('The emulated cluster runs no containers: pod p has no logs.\n');
    expect(await read({ containers: [x] })).toBe('');
  });

  it.each([
    [
      { containers: [x, y] },
      {},
      'a container name must be specified for pod p, choose one of: [x y]',
    ],
    [
      { containers: [x, y], initContainers: [{ name: 'z' }] },
      {},
      'a container name must be specified for pod p, choose one of: [x y] or one of the init containers: [z]',
    ],
    [{ containers: [x] }, { container: 'none' }, 'container none is not valid for pod p'],
  ])('of %j asked by %j is refused', async (spec, sent, message) => {
    expect(await read(spec, sent)).toMatchObject({ code: 400, body: { message } });
  });

  it('is of any container that is named', async () => {
    const spec = { containers: [x, y], initContainers: [{ name: 'z' }] };
    expect(await read(spec, { container: 'z' })).toBe('');
  });
});
