import type { Queue } from '#events/queue.ts';
import { postgresQueue } from '#test/support/postgres-queue.ts';
import { analyzed, as, type BenchServer, makeMigrated, openServer } from './queue/database.ts';
import { rateOf } from './queue/drain.ts';
import { fillAtOnce, gatehouseSide } from './queue/gatehouse.ts';
import { type Latency, latencyOf } from './queue/latency.ts';
import { messagesOf } from './queue/messages.ts';
import { batch, lanes, type QueueSide } from './queue/side.ts';
import { through } from './queue/through.ts';
import { wakingOf } from './queue/waking.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import { packagedMajor } from './support/postgres.ts';
import { keepToCores } from './support/processes.ts';
import { median, ratios, spreadOf } from './support/statistics.ts';
import { pgBossSide } from './yardsticks/pg-boss.ts';

export const bench: Bench = {
  about: 'FIFO groups, 1.6 KB bodies, batches of ten received and settled, beside pg-boss',
  options: {
    ...{ rounds: 5, seconds: 4, messages: 20_000, waiting: 1_000_000, held: 10_000 },
    ...{ through: 1_000_000, latencyRounds: 5, latencySeconds: 4, wakes: 50 },
    postgres: packagedMajor,
  },
  run,
};

/** Ten thousand that wait are 20, and as many are gone before they are vacuumed: 60 were measured after 200,000. */
const mostMebibytes = 128;

const fifo = ['gatehouse', 'pgBossFifo'] as const;
const sides = [...fifo, 'pgBossUnordered'] as const;
type Side = (typeof sides)[number];

/** What it promises is promised on so many. */
const promisedCores = 2;

async function run(options: Numbers): Promise<Report> {
  const cores = keepToCores(promisedCores);
  const server = await openServer(options['postgres']);
  // First of all: later, autovacuum goes through the millions of the others.
  const { late, wakeMs } = await steadily(await makeMigrated(server, 'steady'), options);
  const { rates, ofTen } = await compared(server, options);
  const flat = await flatness(server, options);
  const url = await makeMigrated(server, 'through');
  const { queue, close } = await gatehouseSide(url);
  const moved = await through(queue, url, options['through'] ?? 0);
  await close();

  const perSecondOfTen = spreadOf(ofTen.gatehouse);
  const timesFifoOfTen = spreadOf(ratios(ofTen.gatehouse, ofTen.pgBossFifo));
  const timesFifo = spreadOf(ratios(rates.gatehouse, rates.pgBossFifo));
  const perSecond = spreadOf(rates.gatehouse);
  return {
    bench: 'queue',
    figures: {
      cores,
      postgres: options['postgres'] ?? packagedMajor,
      gatehousePerSecond: perSecond,
      pgBossFifoPerSecond: spreadOf(rates.pgBossFifo),
      pgBossUnorderedPerSecond: spreadOf(rates.pgBossUnordered),
      timesPgBossFifo: timesFifo,
      timesPgBossUnordered: spreadOf(ratios(rates.gatehouse, rates.pgBossUnordered)),
      pgBossNearest: 'policy key_strict_fifo, singletonKey = group, fetch and complete of ten',
      groupsOfTenPerSecond: perSecondOfTen,
      groupsOfTenPgBossFifoPerSecond: spreadOf(ofTen.pgBossFifo),
      groupsOfTenTimesPgBossFifo: timesFifoOfTen,
      ...flat.figures,
      sendToHandlerMillisP50: late.p50,
      sendToHandlerMillisP99: late.p99,
      wakeMs: wakeMs.p50,
      wakeMsP99: wakeMs.p99,
      throughPerSecond: moved.perSecond,
      tablesMebibytesAfterThrough: moved.mebibytes,
      tablesMebibytesAtMost: moved.highestMebibytes,
    },
    bars: [
      atLeast('received and settled a second', perSecond.median, 8_000),
      atLeast('times pg-boss', timesFifo.median, 2),
      atLeast('received and settled a second, ten a group', perSecondOfTen.median, 8_000),
      atLeast('times pg-boss, ten a group', timesFifoOfTen.median, 2),
      atMost('p99 from send to handler at 1,000/s, ms', late.p99.median, 20),
      atMost('wakeMs of an idle worker, median', wakeMs.p50, 20),
      atLeast(
        'claims with many waiting, of those from a queue that is all but empty',
        flat.waiting,
        0.7,
      ),
      atLeast('claims beside many held, of those without', flat.held, 0.7),
      atMost('MiB of its tables, whatever went through', moved.highestMebibytes, mostMebibytes),
    ],
  };
}

/** What comes now and then, and not all at once. */
async function steadily(url: string, options: Numbers) {
  const [from, to] = [await postgresQueue(url), await postgresQueue(url)];
  const lates = await latencies({ from, to }, options);
  const wakeMs = await wakingOf({ from, to }, options['wakes'] ?? 0);
  say(`idle: p50 ${wakeMs.p50.toFixed(1)} ms, p99 ${wakeMs.p99.toFixed(1)} ms`);
  await Promise.all([from.close(), to.close()]);
  const late = {
    p50: spreadOf(lates.map(({ p50 }) => p50)),
    p99: spreadOf(lates.map(({ p99 }) => p99)),
  };
  return { late, wakeMs };
}

type Ends = { readonly from: Queue; readonly to: Queue };

async function latencies(ends: Ends, options: Numbers): Promise<readonly Latency[]> {
  const { latencyRounds = 0, latencySeconds = 0 } = options;
  await latencyOf(ends, { perSecond: 1_000, seconds: 1 });
  const found: Latency[] = [];
  for (let round = 1; round <= latencyRounds; round += 1) {
    const late = await latencyOf(ends, { perSecond: 1_000, seconds: latencySeconds });
    const { p50, p99 } = late;
    say(`1,000/s, round ${round}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    found.push(late);
  }
  return found;
}

type Rates<S extends Side> = Readonly<Record<S, readonly number[]>>;
type Compared = { readonly rates: Rates<Side>; readonly ofTen: Rates<(typeof fifo)[number]> };

/** A group a message; then ten messages a group, where each that is settled lets the next one of its group go. */
async function compared(server: BenchServer, options: Numbers): Promise<Compared> {
  const open: Sides = {
    gatehouse: await gatehouseSide(await makeMigrated(server, 'gatehouse')),
    pgBossFifo: await pgBossSide(await server.make('boss_fifo'), 'key_strict_fifo'),
    pgBossUnordered: await pgBossSide(await server.make('boss_unordered'), 'standard'),
  };
  const rates = await ratesOf(open, sides, { options, perGroup: 1 });
  const ofTen = await ratesOf(open, fifo, { options, perGroup: 10 });
  await Promise.all(Object.values(open).map((side) => side.close()));
  return { rates, ofTen };
}

type Sides = Readonly<Record<Side, QueueSide>>;
type Filling = { readonly options: Numbers; readonly perGroup: number };

async function ratesOf<S extends Side>(
  open: Sides,
  which: readonly S[],
  { options, perGroup }: Filling,
): Promise<Rates<S>> {
  const { rounds = 0, seconds = 0, messages = 0 } = options;
  return await inTurns(rounds, which, async (side, round) => {
    await open[side].fill(messages, Math.ceil(messages / perGroup));
    const { takeBatch } = open[side];
    const rate = await rateOf({ takeBatch, atOnce: lanes, max: messages, seconds });
    const what = `${side}, ${perGroup} a group`;
    say(`round ${round + 1}/${rounds} ${what}: ${Math.round(rate)}/s`);
    return rate;
  });
}

/** Messages of a round: from a queue that is empty but for them, from one where a million wait, and from one where ten thousand more are held. */
async function flatness(server: BenchServer, options: Numbers) {
  const { rounds = 0, waiting = 0, held = 0 } = options;
  const names = ['few', 'many', 'beside'] as const;
  const perRound = 10_000;
  // A round takes a few more than it wants.
  const needed = perRound + lanes * batch;
  const counts = { few: 0, many: Math.max(waiting, needed * rounds), beside: held };
  const open = new Map<string, Filled>();
  for (const name of names) {
    const url = await makeMigrated(server, name);
    await fillAtOnce(url, counts[name]);
    if (name === 'beside') await hold(url, held);
    open.set(name, { url, ...(await gatehouseSide(url)) });
    say(`filled: ${name}`);
  }
  const found = await inTurns(rounds, names, async (name, round) => {
    const side = open.get(name);
    if (side === undefined) throw new Error(`nothing is open: ${name}`);
    if (name !== 'many') await addTo(side, { round, count: needed });
    const { takeBatch } = side;
    const rate = await rateOf({ takeBatch, atOnce: lanes, max: perRound, seconds: 60 });
    say(`round ${round + 1}/${rounds} ${name}: ${Math.round(rate)}/s`);
    return rate;
  });
  await Promise.all([...open.values()].map((side) => side.close()));
  return {
    waiting: median(ratios(found.many, found.few)),
    held: median(ratios(found.beside, found.few)),
    figures: {
      perSecondOfFew: spreadOf(found.few),
      perSecondOfManyWaiting: spreadOf(found.many),
      perSecondBesideManyHeld: spreadOf(found.beside),
    },
  };
}

type Filled = Awaited<ReturnType<typeof gatehouseSide>> & { readonly url: string };

type Added = { readonly round: number; readonly count: number };

/** Of other objects than those of any round before, and of those that are held. */
async function addTo({ queue, url }: Filled, { round, count }: Added): Promise<void> {
  const first = (round + 1) * 1_000_000;
  for (let from = 0; from < count; from += 500) {
    await queue.send(messagesOf('bench', first + from, Math.min(500, count - from)));
  }
  await analyzed(url);
}

/** As if workers had claimed them a moment ago. */
async function hold(url: string, count: number): Promise<void> {
  await as(
    url,
    (sql) => sql`
      update queue_groups set is_claimed = true, claims = 1, received = 1,
        visible_at = now() + interval '1 hour'
      where id in (select id from queue_groups order by id limit ${count})`,
  );
}
