import { setTimeout as after } from 'node:timers/promises';
import { isJsonObject } from '#shared/domain/json.ts';
import { namespaces, secrets } from '#shared/domain/kind.ts';
import { namespaceOf, pullSecret, secretName } from '#test/support/pull-secret.ts';
import { doJobs } from '../support/worker.ts';
import { home, namesOf } from './bare-loop.ts';
import { openSlowCluster, type SlowCluster } from './slow-cluster.ts';

export type Job =
  | { readonly kind: 'open'; readonly namespaces: number; readonly delayMs: number }
  /** Until every namespace has a replica, and nobody asks for anything any more. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'rotate'; readonly failing: number }
  /** Those that failed fail no longer. */
  | { readonly kind: 'heal' };

export type Rotated = {
  readonly kubeconfig: string;
  /** From the source's new version to the last replica of it, of those that do not fail. */
  readonly millis: number;
  /** What changed a Secret, the source's own change left out. */
  readonly writes: number;
  readonly getsOfSecrets: number;
  readonly getsOfNamespaces: number;
  readonly lists: number;
};

let cluster: SlowCluster | undefined;
let names: readonly string[] = [];
let turn = 0;

async function perform(job: Job): Promise<Rotated> {
  cluster ??= await openSlowCluster(job.kind === 'open' ? job.delayMs : 0);
  if (job.kind === 'open') return fill(cluster, job.namespaces);
  if (job.kind === 'rest') return settled(cluster, () => names.every((name) => textIn(name)));
  if (job.kind === 'heal') {
    cluster.failing.clear();
    return settled(cluster, () => names.every(isCurrent));
  }
  for (const name of names.slice(0, job.failing)) cluster.failing.add(name);
  return rotated(cluster);
}

function fill({ objects, kubeconfig }: SlowCluster, count: number): Rotated {
  names = namesOf(count);
  for (const name of [home, ...names]) {
    if (objects.find(namespaces, { name }) === undefined)
      objects.create(namespaces, namespaceOf(name));
  }
  objects.create(secrets, pullSecret(home, 'turn-0'));
  return { kubeconfig, millis: 0, writes: 0, getsOfSecrets: 0, getsOfNamespaces: 0, lists: 0 };
}

async function rotated(open: SlowCluster): Promise<Rotated> {
  turn += 1;
  open.ledger.forget();
  open.counts.reset();
  const { type, data } = pullSecret(home, `turn-${turn}`);
  open.objects.patch(
    secrets,
    { namespace: home, name: secretName },
    { type: String(type), data: data ?? {} },
  );
  return settled(open, () => names.every((name) => open.failing.has(name) || isCurrent(name)));
}

async function settled(open: SlowCluster, isReached: () => boolean): Promise<Rotated> {
  const { ledger, counts, kubeconfig } = open;
  while (!isReached()) await after(50);
  const changes = ledger.entries().filter(({ resource }) => resource === 'secrets');
  const [source, ...writes] = changes.filter(({ namespace }) => !open.failing.has(namespace));
  await untilQuiet(open);
  return {
    kubeconfig,
    millis: (writes.at(-1)?.at ?? 0) - (source?.at ?? 0),
    writes: ledger.entries().filter(({ resource }) => resource === 'secrets').length - 1,
    getsOfSecrets: counts.of('get', 'secrets'),
    getsOfNamespaces: counts.of('get', 'namespaces'),
    lists: counts.of('list', 'secrets') + counts.of('list', 'namespaces'),
  };
}

/** Of what the writes wake, whatever asks the cluster; the rest the worker counts. */
async function untilQuiet({ counts }: SlowCluster): Promise<void> {
  for (let before = -1; before !== counts.of('get'); await after(500)) before = counts.of('get');
}

function isCurrent(name: string): boolean {
  return textIn(name) === textIn(home);
}

function textIn(namespace: string): unknown {
  const data = cluster?.objects.find(secrets, { namespace, name: secretName })?.['data'];
  return isJsonObject(data) ? data['.dockerconfigjson'] : undefined;
}

doJobs(perform);
