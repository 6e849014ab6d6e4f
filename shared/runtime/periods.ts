import type { PeriodElapsed } from '#events/kinds.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { backoff } from '#shared/domain/backoff.ts';
import type { Outcome } from '#shared/domain/outcome.ts';

export type Periodic = {
  readonly functions: readonly ReconcileFunction[];
  readonly run: (definition: ReconcileFunction, wake: PeriodElapsed) => Promise<Outcome>;
  /** What the settings say now: a function that is switched on runs within seconds. */
  readonly isEnabled: (definition: ReconcileFunction) => boolean;
  /** As the settings have it now. */
  readonly everySecondsOf: (definition: ReconcileFunction) => number | undefined;
  /** From 0 up to 1: replicas that started together must not call together for ever. */
  readonly random: () => number;
  readonly after?: After;
};

/** Calls back once; what it returns takes that back. */
export type After = (ms: number, call: () => void) => () => void;

export type Periods = {
  /** No run starts from now on; ends when those under way have. */
  stop(): Promise<void>;
};

const inSeconds = { first: 1, longest: 300 };
const lookAgainSeconds = 5;

/** Until the schedule does it: each periodic function by itself, at once and then period after period. */
export function startPeriods(periodic: Periodic): Periods {
  const loops = periodic.functions.flatMap((definition) => {
    const { everySeconds } = definition.trigger;
    return everySeconds === undefined ? [] : [startLoop(definition, periodic)];
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(definition: ReconcileFunction, periodic: Periodic) {
  const { run, isEnabled, everySecondsOf, random, after = unreferenced } = periodic;
  const wake: PeriodElapsed = { kind: 'period', function: definition.name };
  let stopped = false;
  let failures = 0;
  let running = Promise.resolve();
  let cancel = () => {};

  const next = (seconds: number): void => {
    if (!stopped) cancel = after(seconds * 1_000, turn);
  };
  const turn = (): void => {
    running = isEnabled(definition) ? runAndGoOn() : Promise.resolve(next(lookAgainSeconds));
  };
  const runAndGoOn = async (): Promise<void> => {
    const outcome = await run(definition, wake);
    failures = outcome.kind === 'retry' ? failures + 1 : 0;
    const everySeconds = everySecondsOf(definition) ?? lookAgainSeconds;
    next(pauseSeconds(outcome, { everySeconds, failures, random: random() }));
  };
  turn();

  return {
    stop(): Promise<void> {
      stopped = true;
      cancel();
      return running;
    },
  };
}

type Pause = {
  readonly everySeconds: number;
  readonly failures: number;
  readonly random: number;
};

/** `later` comes before the period, never instead of it; a backoff takes its place. */
export function pauseSeconds(outcome: Outcome, { everySeconds, failures, random }: Pause): number {
  const period = everySeconds * (0.9 + 0.2 * random);
  switch (outcome.kind) {
    case 'later':
      // Whatever a function says, NaN included, is no reason to turn without a pause.
      return Math.min(Math.max(outcome.afterSeconds || 1, 1), period);
    case 'retry':
      return backoff(failures, inSeconds, random);
    case 'done':
    case 'conflict':
    case 'give-up':
      return period;
  }
}

/** A process that has nothing else to do may end. */
const unreferenced: After = (ms, call) => {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
};
