import { setTimeout as after } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { type Kind, namespaces, nodes, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Target, Write } from '#shared/ports.ts';
import { wordsFor } from '../../emulator/world/ref.ts';
import { trouble } from '../output.ts';

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
/** Its own, too: of the others nobody knows who manages them. */
const unmanaged = 'gatehouse-demo-elsewhere';
const pool = 'worker.gardener.cloud/pool';
const elsewhere = 'elsewhere';
/** On the node itself: a demo that is killed leaves it to the next one. */
const poolBefore = 'demo.gatehouse.dev/pool-before';
/** On whatever a demo has made, which the next one may have and remove. */
const made = { 'app.kubernetes.io/managed-by': 'gatehouse-demo' };
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
  const platform: { readonly [node: string]: string } = {};
  return [
    {
      title: 'a namespace that the platform manages',
      async play() {
        const labels = { 'operator.kyma-project.io/managed-by': 'kyma' };
        await makeNamespace(cluster, { name: namespace, labels });
        return [`made ${namespace}, with the label that node affinity goes by`];
      },
      look: `kubectl get namespace ${namespace} --show-labels`,
      undo: () => remove(given, { kind: namespaces, name: namespace }),
    },
    {
      title: 'a pod in it: the webhook lets it prefer the platform’s nodes',
      play: async () => linesOf(await run(cluster, { name: 'managed', namespace })),
      look: `kubectl get pod managed -n ${namespace} -o jsonpath={.spec.affinity}`,
    },
    {
      title: 'a pod elsewhere: nobody touches it',
      async play() {
        await makeNamespace(cluster, { name: unmanaged });
        return linesOf(await run(cluster, { name: 'foreign', namespace: unmanaged }));
      },
      look: `kubectl get pod foreign -n ${unmanaged} -o jsonpath={.spec.affinity}`,
      undo: () => remove(given, { kind: namespaces, name: unmanaged }),
    },
    {
      title: 'the platform’s nodes go: a function follows them, and pods are left as they are',
      async play() {
        Object.assign(platform, await poolsOf(cluster));
        for (const [name, before] of Object.entries(platform)) {
          await move(cluster, name, { to: elsewhere, before });
        }
        return linesOf(await runUntil(cluster, (pod) => affinityOf(pod) === undefined));
      },
      look: 'kubectl get nodes -L worker.gardener.cloud/pool',
      undo: () =>
        Promise.all(
          Object.entries(platform).map(([name, to]) => move(given, name, { to, before: null })),
        ),
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

async function makeNamespace(
  cluster: Cluster,
  metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> },
): Promise<void> {
  await make(cluster, namespaces, { metadata });
  // Nobody runs a pod before there is somebody to run it as.
  const account = { kind: serviceAccounts, namespace: metadata.name, name: 'default' };
  await seen(cluster, account, (found) => found !== undefined);
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
  const target = { kind, namespace: inside, name };
  const metadata = { ...content.metadata, labels: { ...content.metadata.labels, ...made } };
  const object = { apiVersion: kind.version, kind: kind.kind, ...content, metadata };
  // The demo before this one may still be going.
  await seen(cluster, target, (found) => found?.metadata['deletionTimestamp'] === undefined);
  const written = await cluster.create(kind, object);
  if (written.kind === 'conflict') refuseForeign(await cluster.find(target), target);
  else refuseUndone(written, `${wordsFor(target)} was not made`);
}

function refuseForeign(found: KubeObject | undefined, target: Target): void {
  if (found === undefined || isOfDemo(found)) return;
  throw trouble(`${wordsFor(target)} is there already, and not of a demo`, {
    mend: 'it was left as it is: the demo needs its name, so delete it first',
  });
}

/** Nothing that somebody else has put in its place. */
async function remove(cluster: Cluster, target: Target): Promise<void> {
  const found = await cluster.find(target);
  if (found === undefined || !isOfDemo(found)) return;
  const write = await cluster.delete(target, { uid: found.metadata.uid });
  if (write.kind !== 'not-found') refuseUndone(write, `${wordsFor(target)} stays`);
}

type Move = { readonly to: string; readonly before: string | null };

async function move(cluster: Cluster, name: string, { to, before }: Move): Promise<void> {
  const metadata = { labels: { [pool]: to }, annotations: { [poolBefore]: before } };
  const node = { kind: nodes, name };
  const write = await cluster.patch(node, { type: 'merge', body: { metadata } });
  if (write.kind !== 'not-found') refuseUndone(write, `${wordsFor(node)} stays where it is`);
}

function refuseUndone(write: Write, what: string): void {
  if (write.kind === 'written') return;
  throw new Error(`${what}: ${'why' in write ? write.why : write.kind}`);
}

function isOfDemo({ metadata }: KubeObject): boolean {
  return Object.entries(made).every(([label, value]) => metadata.labels?.[label] === value);
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
    const now = metadata.labels?.[pool];
    const value = now === elsewhere ? (metadata.annotations?.[poolBefore] ?? now) : now;
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
