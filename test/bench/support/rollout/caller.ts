import { judgeOf } from '../answer.ts';
import { requestOf } from '../request.ts';
import { podReview } from '../review.ts';
import { percentile } from '../statistics.ts';
import type { Reply } from './kept.ts';
import { type Known, openPool, type Pool } from './pool.ts';
import { turnstile } from './turnstile.ts';

/** A process of its own that calls a webhook as a kube-apiserver does. */
export type Calling = {
  readonly reviews: number;
  readonly perSecond: number;
  readonly path: string;
  readonly markers: readonly string[];
};

export type Told = { readonly known: Known } | { readonly calling: Calling };

export type Called = {
  readonly reviews: number;
  /** No answer: refused, cut, out of time, not verified. */
  readonly lost: number;
  /** An answer that is not the right one: with a policy that fails open, a pod that goes on unmutated. */
  readonly unmutated: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly bundles: number;
  readonly millis: Readonly<Record<'p50' | 'p99' | 'p999' | 'max', number>>;
};

const timeoutSeconds = 5;
const body = podReview();
/** `--max-mutating-requests-inflight`: what is beyond it waits in the API server itself. */
const inFlight = turnstile(200);

let known: Known = { serverName: '', ca: '', ports: [] };
const pools: Pool[] = [];
let turn = 0;

function learn(news: Known): void {
  if (news.ca !== known.ca || pools.length === 0) pools.push(openPool(news));
  known = news;
}

/** In turns over the announced endpoints, and over those that still keep a connection: old ones are used to their end. */
function nextPort(pool?: Pool): number {
  const ports = [...new Set([...known.ports, ...(pool?.ports() ?? [])])];
  turn += 1;
  const port = ports[turn % ports.length];
  if (port === undefined) throw new Error('no endpoint is known');
  return port;
}

/** One review in so many comes from an API server that has just started: over a connection of its own. */
const newcomerEvery = 20;

async function call(bytes: Buffer, index: number): Promise<Reply> {
  const pool = pools.at(-1);
  if (pool === undefined) throw new Error('no bundle is known');
  const isNewcomer = index % newcomerEvery === 0;
  const kept = isNewcomer ? await pool.dialAnew(nextPort()) : await pool.acquire(nextPort(pool));
  const reply = await kept.call(bytes);
  if (isNewcomer) kept.close();
  else pool.release(kept);
  return reply;
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutSeconds * 1000);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

type Tally = {
  readonly reasons: Map<string, number>;
  readonly millis: Float64Array;
  lost: number;
  unmutated: number;
};

async function callAll(calling: Calling): Promise<Called> {
  const { reviews, path, markers } = calling;
  const judge = judgeOf(markers);
  const tally: Tally = {
    reasons: new Map(),
    millis: new Float64Array(reviews),
    lost: 0,
    unmutated: 0,
  };
  const note = (why: string) => tally.reasons.set(why, (tally.reasons.get(why) ?? 0) + 1);

  await paced(calling, tally, async (index) => {
    const request = requestOf(body, { host: known.serverName, path, timeoutSeconds });
    const uid = request.renew(index);
    try {
      const { status, body: answer } = await inFlight(() => inTime(call(request.bytes, index)));
      const wrong = judge(uid, status, answer);
      if (wrong === undefined) return;
      tally.unmutated += 1;
      note(wrong);
    } catch (cause: unknown) {
      tally.lost += 1;
      note(cause instanceof Error ? cause.message : String(cause));
    }
  });
  return calledFrom(tally);
}

/** Each at its own time, whatever became of those before; its time counts from when it was due. */
async function paced(
  { reviews, perSecond }: Calling,
  tally: Tally,
  one: (index: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const running = new Set<Promise<void>>();
  for (let index = 0; index < reviews; index += 1) {
    const due = began + (index * 1000) / perSecond;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const run = one(index).finally(() => {
      tally.millis[index] = performance.now() - due;
      running.delete(run);
    });
    running.add(run);
    const { lost, unmutated } = tally;
    if (index % 5_000 === 0) process.send?.({ progress: index, lost, unmutated });
  }
  await Promise.all(running);
}

function calledFrom({ millis, lost, unmutated, reasons }: Tally): Called {
  const sorted = millis.toSorted();
  const at = (percent: number) => percentile(sorted, percent);
  return {
    reviews: millis.length,
    lost,
    unmutated,
    reasons: Object.fromEntries(reasons),
    connections: pools.reduce((sum, pool) => sum + pool.dialled(), 0),
    bundles: pools.length,
    millis: { p50: at(50), p99: at(99), p999: at(99.9), max: at(100) },
  };
}

if (process.send !== undefined) {
  process.on('message', (told: Told) => {
    if ('known' in told) learn(told.known);
    else void callAll(told.calling).then((called) => process.send?.({ called }));
  });
  process.once('disconnect', () => process.exit(0));
}
