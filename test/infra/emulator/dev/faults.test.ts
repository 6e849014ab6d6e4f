import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { faultsOn, openTroubling } from '#infra/emulator/dev/faults.ts';
import { openInstaller, targetOf } from '#infra/emulator/dev/install.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { configMaps, namespaces, nodes, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { isBatch } from '#test/shared/adapters/cluster/stream/streaming-server.ts';

const opened = new AsyncDisposableStack();
const log = { debug() {}, info() {}, warn() {}, error() {} };

const ours = 'system:serviceaccount:ours:gatehouse';

async function open({ hasControllers }: { readonly hasControllers: boolean }) {
  const cluster = opened.use(disposable(await emulatedCluster()));
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  if (hasControllers) {
    const controllers = await openControllers({ login, log });
    opened.defer(() => controllers.close());
  }
  const installer = await openInstaller(login);
  opened.defer(() => installer.close());
  const { cluster: admin, removeNow } = installer;
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const troubling = openTroubling();
  const around = { troubling, definitions: () => [], restart: async () => {}, say };
  const isOurs = (user: string) => user === ours;
  return {
    admin,
    cluster,
    ...{ login, said, troubling },
    token: installer.token,
    turn: faultsOn({ cluster, admin, removeNow, isOurs, ...around }),
  };
}

function disposable<T extends { close(): Promise<void> }>(closed: T): T & AsyncDisposable {
  return { ...closed, [Symbol.asyncDispose]: () => closed.close() };
}

let world: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  world = await open({ hasControllers: true });
}, 60_000);
afterAll(() => opened.disposeAsync());

const at = { kind: pods, namespace: 'default' };
const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...more },
  spec: { containers: [{ name: 'app', image: 'nginx' }] },
});
const patience = { timeout: 30_000 };

async function running(name: string) {
  const is = async () => (await world.admin.find({ ...at, name }))?.['status'];
  await expect.poll(is, patience).toMatchObject({ phase: 'Running' });
  return world.admin.find({ ...at, name });
}

describe('an object that is made anew', () => {
  it('runs again, where it ran, under another uid', async () => {
    await world.admin.create(pods, pod('web', { labels: { app: 'web' } }));
    const before = await running('web');
    await world.turn({ name: 'recreate', ref: 'Pod default/web' });
    const after = await running('web');
    expect(after?.metadata).toMatchObject({ labels: { app: 'web' } });
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  }, 60_000);

  it('waits for no kubelet that has to end it first', async () => {
    const { admin, turn } = await open({ hasControllers: false });
    const metadata = { name: 'default', namespace: 'default' };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    await admin.create(targetOf(account).kind, account);
    const bound = pod('bound');
    const spec = { ...(bound['spec'] as object), nodeName: 'worker-9' };
    await admin.create(pods, { ...bound, spec });
    const uid = async () => (await admin.find({ ...at, name: 'bound' }))?.metadata.uid;
    const before = await uid();
    await turn({ name: 'recreate', ref: 'Pod default/bound' });
    expect(await uid()).toEqual(expect.any(String));
    expect(await uid()).not.toBe(before);
  }, 60_000);

  it('stays as it is where it has a finalizer, and is told whose', async () => {
    const finalizers = ['example.com/hold'];
    await world.admin.create(pods, pod('held', { finalizers }));
    await running('held');
    const refused = world.turn({ name: 'recreate', ref: 'Pod default/held' });
    await expect(refused).rejects.toThrow(/has finalizers.*example\.com\/hold/);
    const found = await world.admin.find({ ...at, name: 'held' });
    expect(found?.metadata).not.toHaveProperty('deletionTimestamp');
    const namespace = world.turn({ name: 'recreate', ref: 'Namespace default' });
    await expect(namespace).rejects.toThrow(/has finalizers.*kubernetes/);
  }, 60_000);

  it('stays as it is where the server would not make it', async () => {
    await world.admin.create(pods, pod('crooked'));
    const before = await running('crooked');
    const hook = {
      name: 'no.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Fail',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] },
      ],
    };
    const kind = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      kind: 'ValidatingWebhookConfiguration',
      resource: 'validatingwebhookconfigurations',
      namespaced: false,
    };
    await world.admin.create(kind, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: kind.kind,
      metadata: { name: 'no' },
      webhooks: [hook],
    });
    try {
      const refused = world.turn({ name: 'recreate', ref: 'Pod default/crooked' });
      await expect(refused).rejects.toThrow(/no\.example\.com/);
    } finally {
      await world.admin.delete({ kind, name: 'no' });
    }
    const found = await world.admin.find({ ...at, name: 'crooked' });
    expect(found?.metadata.uid).toBe(before?.metadata.uid);
  }, 60_000);

  it('stays as it is where it is a node with pods on it, which would go with it', async () => {
    const { admin, turn } = await open({ hasControllers: false });
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-9' } };
    await admin.create(nodes, node);
    const metadata = { name: 'default', namespace: 'default' };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    await admin.create(targetOf(account).kind, account);
    const spec = { ...(pod('bound')['spec'] as object), nodeName: 'worker-9' };
    await admin.create(pods, { ...pod('bound'), spec });
    const uid = async () => (await admin.find({ kind: nodes, name: 'worker-9' }))?.metadata.uid;
    const before = await uid();
    const ref = 'Node worker-9';
    await expect(turn({ name: 'recreate', ref })).rejects.toThrow(/Pod default\/bound is there/);
    expect(await uid()).toBe(before);
  }, 60_000);

  it('stays as it is where it defines a kind that there are objects of', async () => {
    const { admin, turn } = await open({ hasControllers: false });
    const named = { plural: 'colors', kind: 'Color', shortNames: ['col'] };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition: KubeObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'colors.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Cluster', names: named },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const kind = {
      ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: definition.kind },
      ...{ resource: 'customresourcedefinitions', namespaced: false },
    };
    await admin.create(kind, definition);
    const colors = {
      ...{ group: 'example.com', version: 'v1', kind: 'Color', resource: 'colors' },
      namespaced: false,
    };
    const red = { apiVersion: 'example.com/v1', kind: 'Color', metadata: { name: 'red' } };
    const isMade = async () => (await admin.create(colors, red).catch(() => undefined))?.kind;
    await expect.poll(isMade, patience).toBe('written');
    // By its short name, as kubectl has it.
    await turn({ name: 'recreate', ref: 'col red' });
    const ref = 'CustomResourceDefinition colors.example.com';
    await expect(turn({ name: 'recreate', ref })).rejects.toThrow(/Color red is there/);
    expect(await admin.find({ kind: colors, name: 'red' })).toBeDefined();
  }, 60_000);

  it.each([
    ['a singular', 'horizontalpodautoscaler default/none'],
    ['a short name', 'hpa default/none'],
    ['a kind that nobody here named before', 'Ingress default/none'],
  ])('may be called by %s, as by kubectl', async (_, ref) => {
    await expect(world.turn({ name: 'recreate', ref })).rejects.toThrow(/there is no \w+ default/);
  });

  it('that is not there is told', async () => {
    await expect(world.turn({ name: 'recreate', ref: 'Pod default/none' })).rejects.toThrow(
      'there is no Pod default/none',
    );
  });

  it('stays as it is in a world in memory, too, where it has a finalizer', async () => {
    await using small = await emulate({ functions: [] });
    const metadata = { name: 'held', namespace: 'default', finalizers: ['example.com/hold'] };
    await small.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await expect(small.recreate('ConfigMap default/held')).rejects.toThrow(/example\.com\/hold/);
    const found = await small.find('ConfigMap default/held');
    expect(found?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(configMaps.kind).toBe(found?.kind);
  });
});

describe('a fault of watches', () => {
  const scope = { kind: configMaps };
  const watching = { resourceVersion: '0', timeoutSeconds: 60, idleMs: 20_000 };
  const signal = new AbortController().signal;
  let [theirs, own]: (Stream | undefined)[] = [];

  beforeAll(async () => {
    const { admin, cluster, login } = world;
    const metadata = { name: 'gatehouse', namespace: 'ours' };
    await admin.create(namespaces, {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ours' } },
    });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ours' },
      roleRef: { ...role, name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    };
    for (const each of [account, binding]) await admin.create(targetOf(each).kind, each);
    const by = { token: await world.token(metadata) };
    const direct = { kind: 'direct', server: cluster.url, ca: cluster.ca, by } as const;
    [theirs, own] = await Promise.all([login, direct].map(streamAs));
  }, 30_000);

  async function streamAs(as: Login): Promise<Stream> {
    const session = await openSession(as);
    opened.defer(() => session.close());
    return openStream({ session });
  }

  const opens = async (stream: Stream | undefined) => {
    const { revision } = world.cluster;
    const watch = stream?.watch(scope, { ...watching, resourceVersion: `${revision()}`, signal });
    const found = await watch?.catch(() => ({ kind: 'broken' }) as const);
    // The word of a watch that is opened may come as its first line.
    if (found?.kind !== 'open') return { kind: found?.kind };
    const first = await Promise.race([found.next(), pause(300)]);
    const kind = first === undefined || isBatch(first) ? 'open' : first.kind;
    return { kind, end: () => found.next() };
  };
  const kinds = async () => [(await opens(theirs)).kind, (await opens(own)).kind];

  it('reaches Gatehouse, and neither people nor controllers', async () => {
    const [person, ours] = [await opens(theirs), await opens(own)];
    await world.turn({ name: 'gone', kind: 'ConfigMap' });
    expect(await ours.end?.()).toMatchObject({ kind: 'closed' });
    expect(await Promise.race([person.end?.(), pause(100)])).toBeUndefined();
    expect(await kinds()).toEqual(['open', 'expired']);
  }, 30_000);

  it.each([
    ['as a refusal', { code: 503 }, 'busy'],
    ['as a broken connection', { code: 'lost' }, 'broken'],
  ])(
    'comes %s, after so many that are let through',
    async (_, how, met) => {
      await world.turn({ name: 'fail', verb: 'watch', kind: 'configmaps', after: 1, ...how });
      expect(await kinds()).toEqual(['open', 'open']);
      expect(await kinds()).toEqual(['open', met]);
      expect(await kinds()).toEqual(['open', 'open']);
    },
    30_000,
  );

  it('is told when it is turned and when it is taken back, and is over then', async () => {
    const { said, turn, troubling } = world;
    said.length = 0;
    const [silent, other] = [await opens(own), await opens(theirs)];
    await turn({ name: 'halfOpen', kind: 'ConfigMap' });
    await turn({ name: 'fail', verb: 'watch', code: 503, times: 9 });
    await turn({ name: 'conflict', times: 5 });
    await turn({ name: 'skewClock' });
    await turn({ name: 'off' });
    expect(said).toEqual([
      'fault: halfOpen kind=ConfigMap',
      'fault: fail verb=watch code=503 times=9',
      'fault: conflict times=5',
      'fault: skewClock',
      'fault: off, all that lasted are taken back',
    ]);
    // Whoever has it opens another one, and hears what it missed.
    expect(await silent.end?.()).toMatchObject({ kind: 'closed' });
    expect(await Promise.race([other.end?.(), pause(100)])).toBeUndefined();
    expect(await kinds()).toEqual(['open', 'open']);
    expect([troubling.around.rules.left(), troubling.around.troubles.skewMs]).toEqual([0, 0]);
  }, 30_000);

  it('reaches everybody where that is said', async () => {
    const fault = { name: 'fail', verb: 'watch', kind: 'ConfigMap', code: 503, times: 2 };
    await world.turn({ ...fault, user: 'everybody' });
    expect(await kinds()).toEqual(['busy', 'busy']);
  }, 30_000);

  it.each([
    ['another user', { name: 'gone', kind: 'Pod', user: 'me' }, /user.*gatehouse.*everybody/],
    ['a code that is none', { name: 'fail', code: 'never', verb: 'watch' }, /code.*400.*lost/],
    ['a kind that is none', { name: 'dropWatches', kind: 'Pots' }, /no kind is called Pots.*Pod,/],
    ['a slow watch', { name: 'slow', ms: 5, verb: 'watch' }, /staleMirror/],
    ['writes of everybody', { name: 'fail', code: 500, user: 'everybody' }, /verb=watch/],
  ])('refuses %s, and says what is possible', async (_, fault, why) => {
    await expect(world.turn(fault)).rejects.toThrow(why);
  });
});
