import { expect, it, onTestFinished } from 'vitest';
import { play } from '#infra/cli/demo/play.ts';
import { scenario } from '#infra/cli/demo/scenario.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces, nodes, pods } from '#shared/domain/kind.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const pool = 'worker.gardener.cloud/pool';

async function opened() {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const { kubeconfig: text, close } = await emulatedCluster();
  stack.defer(() => close());
  const login = { kind: 'kubeconfig-text', text } as const;
  const kubelet = { nodes: ['a', 'b'].map((name) => ({ name, labels: { [pool]: 'platform' } })) };
  const controllers = await openControllers({ login, log, kubelet });
  stack.defer(() => controllers.close());
  const cluster = await openCluster({ login });
  stack.defer(() => cluster.close());
  const poolsNow = async () => {
    const found: unknown[] = [];
    for await (const { metadata } of cluster.list(nodes)) found.push(metadata.labels?.[pool]);
    return found;
  };
  const names = ['gatehouse-demo', 'gatehouse-demo-elsewhere'];
  const places = names.map((name) => ({ kind: namespaces, name }));
  const left = async () => {
    const found = await Promise.all(places.map((place) => cluster.find(place)));
    return found.filter((each) => each !== undefined && !each.metadata['deletionTimestamp']);
  };
  return { cluster, poolsNow, left };
}

const stopping = new AbortController();
const { signal: never } = new AbortController();
const shownToNobody = { keep: false, show: () => {}, signal: never };

it.each(['in the last act', 'between two acts'])(
  'the demo leaves nothing behind when it is told to stop %s',
  async (when) => {
    const { cluster, poolsNow, left } = await opened();
    const told = new AbortController();
    const isLast = when === 'in the last act';
    const patch: typeof cluster.patch = async (...given) => {
      // The first of two nodes is labelled already.
      const write = await cluster.patch(...given);
      if (isLast) told.abort(stopping);
      return write;
    };
    const steps: number[] = [];
    const show = ({ step }: { readonly step: number }) => {
      steps.push(step);
      if (step === 3 && !isLast) told.abort(stopping);
    };
    const { signal } = told;
    const acts = scenario({ ...cluster, patch }, signal);
    expect(await play(acts, { keep: false, show, signal })).toBe('stopped');
    expect(steps).toEqual([1, 2, 3]);
    expect(await poolsNow()).toEqual(['platform', 'platform']);
    expect(await left()).toEqual([]);
  },
  60_000,
);

it('the demo puts back the pools that a killed one has left elsewhere', async () => {
  const { cluster, poolsNow, left } = await opened();
  await play(scenario(cluster, never), { ...shownToNobody, keep: true });
  expect(await poolsNow()).toEqual(['elsewhere', 'elsewhere']);
  expect(await left()).toHaveLength(2);
  await play(scenario(cluster, never), shownToNobody);
  expect(await poolsNow()).toEqual(['platform', 'platform']);
  expect(await left()).toEqual([]);
}, 60_000);

it.each(['gatehouse-demo', 'gatehouse-demo-elsewhere'])(
  'the demo leaves alone a namespace %s of somebody’s own',
  async (name) => {
    const { cluster, left } = await opened();
    const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const write = await cluster.create(namespaces, own);
    const uid = write.kind === 'written' ? write.object.metadata.uid : write.kind;
    const played = play(scenario(cluster, never), shownToNobody);
    await expect(played).rejects.toThrow('is there already, and not of a demo');
    expect((await left()).map((each) => each?.metadata.uid)).toEqual([uid]);
  },
  60_000,
);

it('the demo touches no namespace but its own, whoever manages the others', async () => {
  const { cluster } = await opened();
  const acts = scenario(cluster, never);
  await play(acts, { ...shownToNobody, keep: true });
  const made: unknown[] = [];
  for await (const { metadata } of cluster.list(pods)) made.push(metadata.namespace);
  expect(new Set(made)).toEqual(new Set(['gatehouse-demo', 'gatehouse-demo-elsewhere']));
}, 60_000);

it('the demo says that something stays where the cluster does not remove it', async () => {
  const { cluster } = await opened();
  const busy = async () => ({ kind: 'busy', why: 'too much to do', afterSeconds: 1 }) as const;
  const acts = scenario({ ...cluster, delete: busy }, never).slice(0, 1);
  const played = play(acts, shownToNobody);
  await expect(played).rejects.toThrow('Namespace gatehouse-demo stays: too much to do');
}, 60_000);

it('undoes no act that has not begun', async () => {
  const undone: string[] = [];
  const act = (title: string, play = async () => [] as string[]) => ({
    ...{ title, look: '', play },
    undo: async () => undone.push(title),
  });
  const fails = async () => Promise.reject(new Error('failed'));
  const acts = [act('first'), act('second', fails), act('third')];
  await expect(play(acts, shownToNobody)).rejects.toThrow('failed');
  expect(undone).toEqual(['second', 'first']);
});

it('undoes all other acts where one cannot be undone', async () => {
  const undone: string[] = [];
  const act = (title: string, isStuck = false) => ({
    ...{ title, look: '', play: async () => [] },
    async undo() {
      if (isStuck) throw new Error('stuck');
      undone.push(title);
    },
  });
  const { signal } = new AbortController();
  const acts = [act('first'), act('second', true), act('third')];
  await expect(play(acts, { keep: false, show: () => {}, signal })).rejects.toThrow('stuck');
  expect(undone).toEqual(['third', 'first']);
});
