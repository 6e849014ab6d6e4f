import type { Run } from './runs.ts';

type Told = Pick<Run, 'eventId' | 'beganAt' | 'endedAt'>;

/** Two runs of one function and one object, of which one began before the other had ended. */
export type Overlap = Pick<Run, 'function' | 'uid'> & { readonly runs: readonly [Told, Told] };

/** A receipt that ended without its message being settled. */
export type Lapse = Pick<Run, 'function' | 'uid' | 'eventId'>;

export type Lapsed = {
  readonly lapses: readonly Lapse[];
  /** When the database began to start, by the clock of the runs: it may have forgotten who held what. */
  readonly startedAt: readonly number[];
};

export function isOverlap(one: Told, other: Told): boolean {
  return one.beganAt < other.endedAt && other.beganAt < one.endedAt;
}

/** Both had a valid receipt: there is but one at a time (DESIGN §4), and nothing says that one of them had ended. */
export function withoutExcuse(
  overlaps: readonly Overlap[],
  { lapses, startedAt }: Lapsed,
): readonly Overlap[] {
  const lapsed = new Set(lapses.map(keyOf));
  return overlaps.filter(({ function: by, uid, runs }) => {
    if (runs.some(({ eventId }) => lapsed.has(keyOf({ function: by, uid, eventId })))) return false;
    const from = Math.min(...runs.map(({ beganAt }) => beganAt)) - forgottenMs;
    const to = Math.max(...runs.map(({ beganAt }) => beganAt)) + forgottenMs;
    return !startedAt.some((at) => from <= at && at <= to);
  });
}

/** Longer than a server that is careless of its last commits keeps them to itself. */
const forgottenMs = 2_000;

function keyOf({ function: by, uid, eventId }: Lapse): string {
  return `${by} ${uid} ${eventId}`;
}
