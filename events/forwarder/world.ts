import type { Store, Stream } from './ports.ts';
import type { Told } from './told.ts';

/** What the forwarder stands on. Time and dice are given to it. */
export type World = {
  /** Names the cluster in messages. */
  readonly cluster: string;
  readonly stream: Stream;
  readonly store: Store;
  /** This process among all that ever hold a term. */
  readonly holder: string;
  readonly pace: Pace;
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Ends early, and without a word, when the signal does. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly tell: (told: Told) => void;
};

/** All that is waited for, and how much is taken at once, in one place: a test turns it down. */
export type Pace = {
  readonly leaseMs: number;
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
  /** The same where the database is away: what is back is used soon. */
  readonly maxAwayMs: number;
  /** A watch ends by itself after something between these. */
  readonly watchSeconds: readonly [min: number, max: number];
  /** A living watch is never silent for so long: a bookmark comes about every minute. */
  readonly idleMs: number;
  /** A collection whose version stays behind the cursor for so long was restored. */
  readonly restoredMs: number;
  /** Between two looks for a kind that nobody serves. */
  readonly absentMs: number;
  readonly auditMs: number;
  /** Between two questions for how far the cluster is: less than from one bookmark to the next, so that each answers one. */
  readonly caughtUpMs: number;
  /** So long a worker may go by a trigger that is another one by now; 0: none does. */
  readonly settleMs: number;
  readonly pageLimit: number;
  /** Rows that one transaction takes. */
  readonly batchLimit: number;
};

export const usualPace: Pace = Object.freeze({
  leaseMs: 15_000,
  firstBackoffMs: 500,
  maxBackoffMs: 30_000,
  maxAwayMs: 10_000,
  watchSeconds: [300, 600] as const,
  idleMs: 120_000,
  restoredMs: 30_000,
  absentMs: 10_000,
  auditMs: 600_000,
  caughtUpMs: 45_000,
  settleMs: 300_000,
  pageLimit: 250,
  batchLimit: 500,
});
