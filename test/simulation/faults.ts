import type { Dice } from './dice.ts';

/** Everything that goes wrong, each of which a long run must have seen a thousand times. */
export const faults = [
  // Processes.
  ...(['forwarder-crashes', 'worker-crashes', 'mover-crashes', 'crash-after-commit'] as const),
  ...(['forwarder-sleeps', 'worker-sleeps', 'set-anew'] as const),
  ...(['scope-narrowed', 'scope-split', 'scope-widened'] as const),
  // The database.
  ...(['transaction-fails', 'commit-unanswered', 'database-away', 'call-unanswered'] as const),
  // The API server.
  ...(['request-fails', 'server-busy', 'right-lost', 'false-404'] as const),
  ...(['watch-cut', 'watch-half-open', 'watch-closed', 'line-garbled', 'line-oversized'] as const),
  ...(['compaction', 'kept-away', 'gone-by-status', 'gone-by-line', 'gone-by-silence'] as const),
  ...(['list-expired', 'restored', 'other-cluster', 'replica-lags'] as const),
  ...(['kind-gone', 'kind-back', 'version-changed'] as const),
  // Whoever handles a message.
  ...(['released', 'abandoned', 'overslept', 'later', 'retry', 'buried', 'redriven'] as const),
] as const;

export type Fault = (typeof faults)[number];

/** Which of them a schedule has, and how often they came. */
export type Faults = {
  readonly counts: Map<Fault, number>;
  /** Is it one of this schedule's, and its turn? Counted where it is. */
  strikes(fault: Fault, probability: number): boolean;
  has(fault: Fault): boolean;
  count(fault: Fault): void;
  stop(): void;
};

/** A schedule with every fault at once hides what two of them would show: each has its own few. */
export function faultsBy(dice: Dice): Faults {
  const share = dice.pick([0.15, 0.3, 0.5, 0.8]);
  const chosen = new Set(faults.filter(() => dice.chance(share)));
  const counts = new Map<Fault, number>();
  let isOver = false;
  const count = (fault: Fault): void => {
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
  };
  const has = (fault: Fault): boolean => !isOver && chosen.has(fault);
  return {
    counts,
    has,
    count,
    strikes(fault, probability) {
      const does = has(fault) && dice.chance(probability);
      if (does) count(fault);
      return does;
    },
    stop() {
      isOver = true;
    },
  };
}
