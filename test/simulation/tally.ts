import { type Fault, faults } from './faults.ts';
import type { Outcome } from './schedule.ts';
import type { Broken } from './sentence.ts';

/** What many schedules came to. */
export type Tally = {
  readonly schedules: number;
  readonly steps: number;
  readonly fewestSteps: number;
  readonly cpuMs: number;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly failures: readonly Failure[];
};

export type Failure = Broken & {
  readonly seed: number;
  /** Its thread was given up: whoever plays it again comes to no end either. */
  readonly isLeft?: true;
};

export const emptyTally: Tally = Object.freeze({
  schedules: 0,
  steps: 0,
  fewestSteps: Number.MAX_SAFE_INTEGER,
  cpuMs: 0,
  faults: byFault(() => 0),
  failures: [],
});

export function added(one: Tally, other: Tally): Tally {
  return {
    schedules: one.schedules + other.schedules,
    steps: one.steps + other.steps,
    fewestSteps: Math.min(one.fewestSteps, other.fewestSteps),
    cpuMs: one.cpuMs + other.cpuMs,
    faults: byFault((fault) => one.faults[fault] + other.faults[fault]),
    failures: [...one.failures, ...other.failures],
  };
}

export function tallyOf({ seed, steps, broken, faults: counts }: Outcome): Tally {
  return {
    schedules: 1,
    steps,
    fewestSteps: broken === undefined ? steps : Number.MAX_SAFE_INTEGER,
    cpuMs: 0,
    faults: byFault((fault) => counts.get(fault) ?? 0),
    failures: broken === undefined ? [] : [{ ...broken, seed }],
  };
}

export function tallyOfLeft(seed: number, how: string): Tally {
  return { ...emptyTally, failures: [{ sentence: 'quiet', how, seed, isLeft: true }] };
}

function byFault(count: (fault: Fault) => number): Record<Fault, number> {
  return Object.fromEntries(faults.map((fault) => [fault, count(fault)])) as Record<Fault, number>;
}

const leastSteps = 50;
/** Of a hundred schedules each fault comes once at least: a thousand times in a hundred thousand. */
const schedulesPerFault = 100;

export type Asked = { readonly schedules: number; readonly withinSeconds: number };

/** Why a run proves less than it should. */
export function shortcomings(
  { schedules, fewestSteps, ...tally }: Tally,
  asked: Asked,
): readonly string[] {
  const least = Math.floor(schedules / schedulesPerFault);
  const rare = faults.filter((fault) => tally.faults[fault] < least);
  const { withinSeconds } = asked;
  // Whoever found something broken went no further.
  const isUnfinished = schedules < asked.schedules && tally.failures.length === 0;
  return [
    ...(isUnfinished
      ? [`${schedules} of ${asked.schedules} schedules within ${withinSeconds} s`]
      : []),
    ...rare.map((fault) => `${fault} came ${tally.faults[fault]} times, not ${least}`),
    ...(fewestSteps < leastSteps ? [`a schedule had ${fewestSteps} steps, not ${leastSteps}`] : []),
  ];
}
