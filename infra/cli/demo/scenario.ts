import { setTimeout as after } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { type Kind, namespaces, nodes, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Target } from '#shared/ports.ts';

/** One step, for people. */
export type Act = {
  readonly title: string;
  /** What came of it. */
  play(): Promise<readonly string[]>;
  /** How to look at it by oneself. */
  readonly look: string;
  undo?(): Promise<unknown>;
};

const namespace = 'gatehouse-demo';
const pool = 'worker.gardener.cloud/pool';
const patienceMs = 15_000;

const serviceAccounts: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  namespaced: true,
};

/** Once the signal is there, no act does anything any more; what they made can still be undone. */
export function scenario(given: Cluster, signal: AbortSignal): readonly Act[] {
  const cluster = until(given, signal);
  const labelled = (by: Cluster, name: string, value: Json) =>
    by.patch(
      { kind: nodes, name },
      { type: 'merge', body: { metadata: { labels: { [pool]: value } } } },
    );
  const platform: { readonly [node: string]: string } = {};
  return [
    {
      title: 'a namespace that the platform manages',
      async play() {
        const labels = { 'operator.kyma-project.io/managed-by': 'kyma' };
        const place = { kind: namespaces, name: namespace };
        // The demo before this one may still be going.
        await seen(cluster, place, (found) => found?.metadata['deletionTimestamp'] === undefined);
        await make(cluster, namespaces, { metadata: { name: namespace, labels } });
        // Nobody runs a pod before there is somebody to run it as.
        const account = { kind: serviceAccounts, namespace, name: 'default' };
        await seen(cluster, account, (found) => found !== undefined);
        return [`made ${namespace}, with the label that node affinity goes by`];
      },
      look: `kubectl get namespace ${namespace} --show-labels`,
      undo: () => given.delete({ kind: namespaces, name: namespace }),
    },
    {
      title: 'a pod in it: the webhook lets it prefer the platform’s nodes',
      play: async () => linesOf(await run(cluster, { name: 'managed', namespace })),
      look: `kubectl get pod managed -n ${namespace} -o jsonpath={.spec.affinity}`,
    },
    {
      title: 'a pod elsewhere: nobody touches it',
      play: async () => linesOf(await run(cluster, { name: 'foreign', namespace: 'default' })),
      look: 'kubectl get pod foreign -o jsonpath={.spec.affinity}',
      undo: () => given.delete({ kind: pods, namespace: 'default', name: 'foreign' }),
    },
    {
      title: 'the platform’s nodes go: a function follows them, and pods are left as they are',
      async play() {
        Object.assign(platform, await poolsOf(cluster));
        for (const name of Object.keys(platform)) await labelled(cluster, name, 'elsewhere');
        return linesOf(await runUntil(cluster, (pod) => affinityOf(pod) === undefined));
      },
      look: 'kubectl get nodes -L worker.gardener.cloud/pool',
      undo: () =>
        Promise.all(Object.entries(platform).map(([name, was]) => labelled(given, name, was))),
    },
  ];
}

/** What is under way is waited for: whoever undoes it comes after it. */
function until(cluster: Cluster, signal: AbortSignal): Cluster {
  const before = <G extends readonly unknown[], T>(act: (...given: G) => T) => {
    return (...given: G): T => {
      signal.throwIfAborted();
      return act(...given);
    };
  };
  return {
    find: before(cluster.find),
    list: before(cluster.list),
    create: before(cluster.create),
    replace: before(cluster.replace),
    patch: before(cluster.patch),
    apply: before(cluster.apply),
    evict: before(cluster.evict),
    delete: before(cluster.delete),
  };
}

type Named = { readonly name: string; readonly namespace: string };

async function run(cluster: Cluster, metadata: Named): Promise<KubeObject> {
  const spec = { containers: [{ name: 'app', image: 'nginx' }] };
  await make(cluster, pods, { metadata, spec });
  return podThat(cluster, metadata, (pod) => phaseOf(pod) === 'Running');
}

/** The function hears of its nodes a moment later: another pod is made until one shows it. */
async function runUntil(
  cluster: Cluster,
  isMeant: (pod: KubeObject) => boolean,
): Promise<KubeObject> {
  for (let turn = 1; ; turn += 1) {
    const pod = await run(cluster, { name: `later-${turn}`, namespace });
    if (isMeant(pod) || turn === 20) return pod;
    await after(250);
  }
}

async function make(
  cluster: Cluster,
  kind: Kind,
  content: JsonObject & Pick<KubeObject, 'metadata'>,
) {
  const { namespace: inside, name = '' } = content.metadata;
  const object = { apiVersion: kind.version, kind: kind.kind, ...content };
  const written = await cluster.create(kind, object);
  if (written.kind === 'conflict') return;
  if (written.kind !== 'written')
    throw new Error(`${kind.kind} ${inside}/${name}: ${written.kind}`);
}

async function podThat(
  cluster: Cluster,
  at: Named,
  isMeant: (pod: KubeObject) => boolean,
): Promise<KubeObject> {
  const isIt = (pod: KubeObject | undefined) => pod !== undefined && isMeant(pod);
  const found = await seen(cluster, { kind: pods, ...at }, isIt);
  if (found !== undefined) return found;
  throw new Error(`the pod ${at.namespace}/${at.name} is gone`);
}

/** As it is when it is meant, or when patience is over. */
async function seen(
  cluster: Cluster,
  target: Target,
  isMeant: (found: KubeObject | undefined) => boolean,
): Promise<KubeObject | undefined> {
  for (const end = performance.now() + patienceMs; ; await after(50)) {
    const found = await cluster.find(target);
    if (isMeant(found) || performance.now() > end) return found;
  }
}

async function poolsOf(cluster: Cluster): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for await (const { metadata } of cluster.list(nodes)) {
    const value = metadata.labels?.[pool];
    if (value !== undefined && metadata.name !== undefined) found[metadata.name] = value;
  }
  return found;
}

function linesOf(pod: KubeObject): readonly string[] {
  const { namespace: inside, name } = pod.metadata;
  const affinity = affinityOf(pod);
  return [
    `${inside}/${name} is ${phaseOf(pod)} on ${field(pod['spec'], 'nodeName')}`,
    affinity === undefined ? 'it has no affinity' : `affinity: ${JSON.stringify(affinity)}`,
  ];
}

function affinityOf(pod: KubeObject): Json | undefined {
  return field(pod['spec'], 'affinity');
}

function phaseOf(pod: KubeObject): Json | undefined {
  return field(pod['status'], 'phase');
}

function field(of: Json | undefined, name: string): Json | undefined {
  return isJsonObject(of) ? of[name] : undefined;
}
