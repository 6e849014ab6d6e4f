import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Followed } from '#events/forwarder/followed.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { parseSelector } from '#shared/domain/selector.ts';
import { scopeName } from '#shared/domain/watched.ts';
import type { Cluster } from '#shared/ports.ts';
import type { Queueing } from '#shared/runtime/worker/queueing.ts';
import type { SettleLimits } from '../world.ts';

export type RealSettling = {
  readonly sql: Sql;
  readonly queueing: Queueing;
  readonly admin: Cluster;
  readonly clusterName: string;
  readonly followed: () => readonly Followed[];
  /** Of the cluster: it counts writes. */
  readonly revision: () => number;
  readonly running: { readonly count: number };
  /** Moves the world's clock; the machine's stays. */
  readonly pass: (ms: number) => void;
};

const usual = { soonMs: 60_000, withinMs: 30_000 };
const lookEveryMs = 10;
const mostAttempts = 8;
/** So often may something be put off, and be waited for. */
const mostJumps = 50;

/** Looks until all is quiet. What only waits for time is not waited for: the schedule's rows are made due. */
export async function settle(settling: RealSettling, limits: SettleLimits = {}): Promise<void> {
  const { soonMs, withinMs } = { ...usual, ...limits };
  const until = performance.now() + withinMs;
  for (let jumps = 0; ; jumps += 1) {
    await quiet(settling, until);
    const next = await nextPutOff(settling, soonMs);
    if (next === undefined) return;
    if (next.attempt >= mostAttempts || jumps >= mostJumps) throw unsettled([next.words]);
    await pass(settling, next.ms);
  }
}

export async function advance(settling: RealSettling, ms: number): Promise<void> {
  let leftMs = ms;
  while (leftMs > 0) {
    await quiet(settling);
    const [row] = await settling.sql<{ ms: number | null }[]>`
      select extract(epoch from min(due_at) - now()) * 1000 as ms from wakeups`;
    const step = Math.min(leftMs, Math.max(Number(row?.ms ?? leftMs), 1));
    await pass(settling, step);
    leftMs -= step;
  }
  await quiet(settling);
}

async function quiet(settling: RealSettling, until = later(usual.withinMs)): Promise<void> {
  for (let busy = await goingOn(settling); busy.length > 0; busy = await goingOn(settling)) {
    if (performance.now() > until) throw unsettled(busy);
    await sleep(lookEveryMs);
  }
}

function later(ms: number): number {
  return performance.now() + ms;
}

/** Time passes for the schedule and for the functions' clock. */
async function pass({ sql, queueing, pass: move }: RealSettling, ms: number): Promise<void> {
  move(ms);
  await sql`update wakeups set due_at = due_at - make_interval(secs => ${ms / 1_000})`;
  await queueing.schedule.moveDue(500);
}

/** The mirror first: what it has by then has its messages on the queue. A write meanwhile is for the next look. */
async function goingOn(settling: RealSettling): Promise<readonly string[]> {
  const { queueing, running, revision } = settling;
  const before = revision();
  const behind = await Promise.all(settling.followed().map((each) => whatLacks(each, settling)));
  const depths = await queueing.queue.depth();
  return [
    ...(running.count > 0 ? [`${running.count} runs are under way`] : []),
    ...depths
      .filter(({ waiting, inFlight }) => waiting + inFlight > 0)
      .map((each) => `${each.function} has ${each.waiting + each.inFlight} messages`),
    ...behind.flat(),
    ...(revision() === before ? [] : ['objects are being written']),
  ];
}

async function whatLacks(
  { scope, subscriptions }: Followed,
  { sql, clusterName: cluster, admin }: RealSettling,
): Promise<readonly string[]> {
  const name = scopeName(scope);
  const woken = await sql<{ function: string }[]>`
    select function from backfills where cluster = ${cluster} and scope = ${name} and is_done`;
  const isWoken = (of: string) => woken.some((each) => each.function === of);
  if (!subscriptions.every((each) => isWoken(each.function))) {
    return [`not all of ${name} has woken its functions yet`];
  }
  const { namespace, labels = '', fields } = scope;
  const mirror = await mirrorOn(sql, { cluster }).list(scope.kind, { namespace });
  const options = { namespace, labels: parseSelector(labels), fields };
  const there = await stamps(admin.list(scope.kind, options));
  return (await stamps(mirror.objects)) === there
    ? []
    : [`the mirror of ${name} is behind the cluster`];
}

async function stamps(objects: AsyncIterable<{ readonly metadata: object }>): Promise<string> {
  const all: string[] = [];
  for await (const { metadata } of objects) {
    const { uid, resourceVersion } = metadata as Record<string, unknown>;
    all.push(`${String(uid)}@${String(resourceVersion)}`);
  }
  return all.toSorted().join();
}

type PutOff = { readonly ms: number; readonly words: string; readonly attempt: number };

async function nextPutOff({ sql }: RealSettling, soonMs: number): Promise<PutOff | undefined> {
  const [row] = await sql<{ ms: number; reason: string; key: string; attempt: number }[]>`
    select extract(epoch from due_at - now()) * 1000 as ms, reason, key, attempt from wakeups
    where reason = 'retry' or (reason = 'later' and due_at <= now() + make_interval(secs => ${soonMs / 1_000}))
    order by due_at limit 1`;
  if (row === undefined) return undefined;
  const words = `${row.key} is to run again (${row.reason})`;
  return { ms: Math.max(Number(row.ms), 1), words, attempt: row.attempt };
}

function unsettled(busy: readonly string[]): Error {
  return new Error(['the world does not settle:', ...busy.map((line) => `  ${line}`)].join('\n'));
}
