import type { Dice } from './dice.ts';
import { outage } from './outage.ts';

/** Whoever may sleep or die. */
export type Process = {
  readonly name: string;
  state: 'running' | 'asleep' | 'dead';
  /** How eager: of two that could go on, the one with more does so more often. */
  readonly pace: number;
};

/** A call of a port, as it waits for its turn. */
export type Call<T> = {
  readonly by: Process;
  readonly what: string;
  /** It is ready from the start where this is left out. */
  readonly isReady?: () => boolean;
  /** When time alone makes it ready. */
  readonly wakesAt?: () => number;
  readonly answer: () => T | Promise<T>;
  /** What it answers when its signal ends. */
  readonly ended?: { readonly signal: AbortSignal; readonly answer: () => T };
};

type Parked = Pick<Call<unknown>, 'by' | 'what'> & {
  readonly isReady: () => boolean;
  readonly wakesAt: () => number;
  go(): void;
  end(): void;
  drop(): void;
};

/** Where all of the world waits, and an invented clock. */
export type Stage = {
  now(): number;
  park<T>(call: Call<T>): Promise<T>;
  /** Lets one go on; `false` where nobody can. */
  step(): boolean;
  /** To the next moment at which somebody can go on; `false` where time changes nothing. */
  advance(): boolean;
  pass(ms: number): void;
  /** Whatever microtasks there are, until all are parked again. */
  settle(): Promise<void>;
  /** Nothing goes on from here; what is parked fails, so that nothing is left over. */
  close(): void;
  /** A process is dead: none of its calls is ever answered. Those that fail here only end, so that nothing is left over. */
  drop(by: Process): void;
  /** What a process waits for. */
  waitingFor(by: Process): readonly string[];
  say(line: string): void;
  readonly said: readonly string[];
};

const over = outage('the schedule is over');

type Standing = {
  readonly dice: Dice;
  nowMs: number;
  isOver: boolean;
  parked: readonly Parked[];
};

export function openStage(dice: Dice, isTold: boolean): Stage {
  const standing: Standing = { dice, nowMs: 0, isOver: false, parked: [] };
  const said: string[] = [];
  const say = (line: string): void => {
    if (isTold) said.push(`${String(standing.nowMs).padStart(7)} ms  ${line}`);
  };
  return {
    now: () => standing.nowMs,
    park: (call) => park(standing, call),
    step: () => step(standing, say),
    advance: () => advance(standing),
    pass(ms) {
      standing.nowMs += ms;
    },
    // A tick comes after all microtasks, and costs less than a turn of the event loop.
    settle: () => new Promise((resolve) => process.nextTick(resolve)),
    close() {
      standing.isOver = true;
      for (const each of standing.parked) each.end();
      standing.parked = [];
    },
    drop(process) {
      const own = standing.parked.filter(({ by }) => by === process);
      for (const each of own) each.drop();
    },
    waitingFor: (process) =>
      standing.parked.filter(({ by }) => by === process).map(({ what }) => what),
    say,
    said,
  };
}

const ready = (): boolean => true;
const never = (): number => Number.POSITIVE_INFINITY;

function park<T>(standing: Standing, call: Call<T>): Promise<T> {
  const { by, what, isReady = ready, wakesAt = never, ended } = call;
  if (standing.isOver || (by.state === 'dead' && ended === undefined)) return Promise.reject(over);
  if (ended?.signal.aborted) return Promise.resolve(ended.answer());

  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const leave = (): void => {
    standing.parked = standing.parked.filter((each) => each !== waiting);
    ended?.signal.removeEventListener('abort', end);
  };
  const end = (): void => {
    leave();
    if (ended === undefined) reject(over);
    else resolve(ended.answer());
  };
  const drop = (): void => {
    if (ended === undefined) end();
  };
  const go = (): void => {
    leave();
    try {
      resolve(call.answer());
    } catch (cause: unknown) {
      reject(cause);
    }
  };
  const waiting: Parked = { by, what, isReady, wakesAt, go, end, drop };
  ended?.signal.addEventListener('abort', end);
  standing.parked = [...standing.parked, waiting];
  return promise;
}

function step({ dice, parked }: Standing, say: Stage['say']): boolean {
  const able = parked.filter(({ by, isReady }) => by.state === 'running' && isReady());
  const [first, ...others] = able;
  if (first === undefined) return false;
  const chosen = slowly(dice, [first, ...others]);
  say(`${chosen.by.name}: ${chosen.what}`);
  chosen.go();
  return true;
}

function advance(standing: Standing): boolean {
  const { parked, nowMs } = standing;
  const times = parked.flatMap(({ by, wakesAt }) => (by.state === 'running' ? wakesAt() : []));
  const next = Math.min(...times.filter((time) => time > nowMs));
  if (!Number.isFinite(next)) return false;
  // Whole milliseconds are easier to read.
  standing.nowMs = Math.ceil(next);
  return true;
}

/** One whose process is slow is often passed over: that makes the long races that equal chances never make. */
function slowly(dice: Dice, able: readonly [Parked, ...Parked[]]): Parked {
  const first = dice.pick(able);
  return dice.chance(first.by.pace) ? first : dice.pick(able);
}
