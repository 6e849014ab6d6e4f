import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Followed } from '#events/forwarder/followed.ts';
import { isWithin } from '#events/forwarder/followed.ts';
import { type Scope, scopeName } from '#shared/domain/watched.ts';
import { watchKey } from '../../testing/mirror/shelf.ts';
import type { Decision, SettleLimits } from '../world.ts';
import { collectGarbage } from './garbage.ts';
import type { Ground } from './ground.ts';
import { clusterOf } from './ports.ts';
import { lastToldOf } from './watch.ts';

export type Settling = {
  readonly ground: Ground;
  readonly followed: () => readonly Followed[];
  /** A process that is being started has been. */
  readonly ready: () => Promise<void>;
  readonly inFlight: () => number;
  readonly whyNot: (scope: string) => string | undefined;
  readonly isFollowing: (scope: string) => boolean;
};

const usual = { soonMs: 60_000, withinMs: 2 * 3_600_000 };
/** A message that failed so often will fail for ever, as far as a test is concerned. */
const mostAttempts = 8;
const mostRuns = 2_000;
/** By one function on one object, at once. */
const mostOfOne = 300;
/** By the true clock: a handler that waits for something outside of the world. */
const patienceMs = 60_000;

/** From one thing that is due to the next, until nothing is. */
export async function settle(settling: Settling, limits: SettleLimits = {}): Promise<void> {
  const { ground } = settling;
  const { time } = ground;
  const { soonMs, withinMs } = { ...usual, ...limits };
  const untilMs = time.now() + withinMs;
  const ranBefore = ground.diary.decisions.length;
  for (;;) {
    const isCircling = (await calm(settling)) === 'circling';
    if (await collectGarbage(ground.server)) continue;
    const busy = await goingOn(settling, time.now() + soonMs);
    if (busy.length === 0) break;
    const nextMs = nextDue(ground);
    const ran = ground.diary.decisions.length - ranBefore;
    const isEndless = ran > mostRuns || triesForEver(ground) || (nextMs ?? untilMs) >= untilMs;
    if (isCircling || isEndless || nextMs === undefined) throw unsettled(busy, ground);
    await goTo(ground, nextMs);
  }
  ground.troubles.isReversed = false;
}

export async function advance(settling: Settling, ms: number): Promise<void> {
  const { ground } = settling;
  const untilMs = ground.time.now() + ms;
  for (;;) {
    await calm(settling);
    await collectGarbage(ground.server);
    const { nextMs = Number.POSITIVE_INFINITY } = await ground.schedule.moveDue(500);
    await calm(settling);
    const due = Math.min(ground.time.now() + nextMs, ground.time.nextAt() ?? untilMs);
    if (due >= untilMs) break;
    await goTo(ground, due);
  }
  await goTo(ground, untilMs);
  await calm(settling);
}

async function goTo({ time, schedule }: Ground, atMs: number): Promise<void> {
  time.to(atMs);
  await schedule.moveDue(500);
}

/**
 * Until whoever can go on has done so. All parts but the handlers need nothing but microtasks, so that one turn of the
 * event loop is enough; a handler may wait for something true (its own timers, cryptography).
 */
async function calm({ ground, inFlight, ready }: Settling): Promise<'calm' | 'circling'> {
  const startedAt = performance.now();
  const ranBefore = ground.diary.decisions.length;
  await turn();
  await ready();
  await turn();
  while (inFlight() > 0 && ground.held.count() === 0) {
    if (performance.now() - startedAt > patienceMs) break;
    if (goesInCircles(ground.diary.decisions.slice(ranBefore))) return 'circling';
    await (performance.now() - startedAt < 5 ? turn() : wait(1));
  }
  return 'calm';
}

/** Functions that wake themselves, or each other, while no time passes. */
function goesInCircles(decisions: readonly Decision[]): boolean {
  if (decisions.length < mostOfOne) return false;
  const runs = decisions.filter((each) => each.kind === 'run');
  const byObject = Map.groupBy(runs, (each) => `${each.function} ${each.object}`);
  return [...byObject.values()].some(({ length }) => length >= mostOfOne);
}

function nextDue({ time, planned }: Ground): number | undefined {
  const due = [time.nextAt(), ...planned.list().map(({ dueAtMs }) => dueAtMs)];
  const known = due.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** In words, for whoever waits in vain. */
async function goingOn(settling: Settling, soonMs: number): Promise<readonly string[]> {
  const { ground, inFlight } = settling;
  const depths = await ground.queue.depth();
  return [
    ...(inFlight() > 0 ? [`${inFlight()} runs are under way`] : []),
    ...depths
      .filter(({ waiting, inFlight: held }) => waiting + held > 0)
      .map((each) => `${each.function} has ${each.waiting + each.inFlight} messages`),
    ...ground.planned
      .list()
      .filter(({ reason, dueAtMs }) => reason === 'retry' || dueAtMs <= soonMs)
      .map(({ message, reason }) => `${message.group} is to run again (${reason})`),
    ...settling.followed().flatMap(({ scope }) => behind(scope, settling)),
  ];
}

/** The mirror is compared with the cluster itself: what a fault has hidden from the forwarder is still to come. */
function behind(scope: Scope, { ground, isFollowing, whyNot }: Settling): readonly string[] {
  const { shelf, server } = ground;
  const name = scopeName(scope);
  const why = whyNot(name);
  const because = why === undefined ? '' : `: ${why}`;
  if (!isFollowing(name)) return [`the forwarder does not follow ${name} yet${because}`];

  const key = watchKey({ cluster: clusterOf(ground), scope: name });
  const rows = [...shelf.rows.values()].filter((row) => watchKey(row) === key);
  const known = rows.filter(({ row }) => !row.isDeleted).map(({ row }) => stamp(row));
  const there = server.objects
    .objects(scope.kind)
    .filter(({ metadata }) => (scope.namespace ?? metadata.namespace) === metadata.namespace)
    .filter((object) => isWithin(object, scope))
    .map(({ metadata: { uid = '', resourceVersion = '' } }) => stamp({ uid, resourceVersion }));
  const isSame = known.toSorted().join() === there.toSorted().join();
  const cursor = shelf.watches.get(key)?.cursor.at ?? 'nowhere';
  const at = typeof cursor === 'string' ? -1 : Number(cursor.resourceVersion);
  const isBehind = !isSame || at < lastToldOf(server, scope);
  return isBehind ? [`the mirror of ${name} is behind the cluster${because}`] : [];
}

function stamp(of: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${of.uid}@${of.resourceVersion}`;
}

function triesForEver({ planned }: Ground): boolean {
  return planned.list().some(({ message }) => (message.attempt ?? 0) >= mostAttempts);
}

function unsettled(busy: readonly string[], { diary }: Ground): Error {
  const last = diary.decisions
    .filter((each) => each.kind === 'run')
    .slice(-5)
    .map(({ function: name, object = 'its period', outcome, why }) => {
      return `${name} on ${object}: ${outcome}${why === undefined ? '' : ` (${why})`}`;
    });
  return new Error(
    [
      'the world does not settle:',
      ...busy.map((line) => `  ${line}`),
      'the last runs were',
      ...(last.length === 0 ? ['  none'] : last.map((line) => `  ${line}`)),
    ].join('\n'),
  );
}
