import { performance } from 'node:perf_hooks';
import { type Judge, judgeOf } from './answer.ts';
import { type Connection, openConnection, type Peer } from './connection.ts';
import { type Pace, paceOf } from './pace.ts';
import { type Request, requestOf } from './request.ts';
import { percentile } from './statistics.ts';
import { doJobs } from './worker.ts';

/** A process of its own, on a core of its own: it is told a job, and answers what came of it. */
export type Job = {
  readonly peer: Peer;
  readonly path: string;
  readonly body: string;
  readonly markers: readonly string[];
  readonly connections: number;
  readonly requests: number;
  readonly seconds: number;
  /** Without: as fast as the answers come. */
  readonly perSecond?: number;
  /** How many pods in a row are of one template. */
  readonly replicas?: number;
};

export type Outcome = {
  readonly answers: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Answers that were not right, or did not come. */
  readonly wrong: number;
  readonly firstWrong: string;
  /** From when it was meant to be sent, so that a stall counts for all that it held up. */
  readonly millis: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999' | 'max', number>>;
  /** 1: the load generator itself was the limit. */
  readonly busy: number;
};

type Lane = {
  readonly connection: Connection;
  readonly request: Request;
  uid: string;
  due: number;
};

/** Goes on from one job to the next: no review comes twice. */
let sentEver = 0;

type Run = {
  readonly job: Job;
  readonly pace: Pace;
  readonly judge: Judge;
  readonly millis: Float64Array;
  readonly idle: Lane[];
  sent: number;
  answers: number;
  wrong: number;
  firstWrong: string;
  idleMillis: number;
  over: boolean;
  ended(): void;
};

export async function perform(job: Job): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run: Run = {
    job,
    pace: paceOf(job),
    judge: judgeOf(job.markers),
    millis: new Float64Array(job.requests),
    idle: [],
    sent: 0,
    answers: 0,
    wrong: 0,
    firstWrong: '',
    idleMillis: 0,
    over: false,
    ended() {
      run.over = true;
      resolve();
    },
  };
  const lanes = await Promise.all(Array.from({ length: job.connections }, () => openLane(run)));
  const began = performance.now();
  run.pace.begin(began);
  run.idle.push(...lanes);
  spin(run, began);
  await promise;
  const seconds = (performance.now() - began) / 1000;
  for (const lane of lanes) lane.connection.close();
  return outcomeOf(run, seconds);
}

async function openLane(run: Run): Promise<Lane> {
  const { job } = run;
  const address = { host: job.peer.serverName, path: job.path, timeoutSeconds: 5 };
  const connection = await openConnection(job.peer, {
    answered: (status, body) => settle(run, lane, run.judge(lane.uid, status, body)),
    lost: (why) => fail(run, `connection lost: ${why}`),
  });
  const lane: Lane = {
    connection,
    request: requestOf(job.body, address, job.replicas),
    uid: '',
    due: 0,
  };
  return lane;
}

/** Sends what is due on the connections that are free, the last used first, as Go's pool does. */
function pump(run: Run): void {
  const now = performance.now();
  while (run.idle.length > 0 && run.sent < run.pace.due(now)) {
    const lane = run.idle.pop();
    if (lane === undefined) break;
    lane.due = run.pace.dueAt(run.sent, now);
    lane.uid = lane.request.renew(sentEver);
    sentEver += 1;
    run.sent += 1;
    lane.connection.send(lane.request.bytes);
  }
  if (run.answers >= run.sent && run.pace.isOver(now, run.sent)) run.ended();
}

/**
 * Never sleeps: waking a sleeping process costs whoever sends to it, and a slower server, which lets it
 * sleep more often, would pay more for it. A timer would besides be a millisecond late.
 */
function spin(run: Run, last: number, answersThen = 0): void {
  if (run.over) return;
  const now = performance.now();
  if (run.answers === answersThen) run.idleMillis += now - last;
  pump(run);
  setImmediate(spin, run, performance.now(), run.answers);
}

function settle(run: Run, lane: Lane, wrong: string | undefined): void {
  run.millis[run.answers] = performance.now() - lane.due;
  run.answers += 1;
  if (wrong !== undefined) fail(run, wrong);
  run.idle.push(lane);
  pump(run);
}

function fail(run: Run, why: string): void {
  run.wrong += 1;
  run.firstWrong ||= why;
  if (why.startsWith('connection lost')) run.ended();
}

function outcomeOf(run: Run, seconds: number): Outcome {
  const sorted = run.millis.subarray(0, run.answers).toSorted();
  const at = (percent: number) => percentile(sorted, percent);
  return {
    answers: run.answers,
    seconds,
    perSecond: run.answers / seconds,
    wrong: run.wrong,
    firstWrong: run.firstWrong,
    millis: { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: at(100) },
    busy: 1 - run.idleMillis / 1000 / seconds,
  };
}

doJobs(perform);
