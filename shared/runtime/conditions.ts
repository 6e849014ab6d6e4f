import type { Condition } from '#shared/domain/condition.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import type { Conditions } from '#shared/ports.ts';
import type { Log } from './log.ts';

export type ConditionBoard = Conditions & { current(): readonly Condition[] };

/** Logged when it changes: as an error when it stops to hold, as information when it holds again. */
export function openConditions(
  log: Log,
  show: (name: string, holds: boolean) => void,
): ConditionBoard {
  const known = new Map<string, Condition>();
  return {
    current: () => [...known.values()],
    report(condition) {
      const { name, holds, why } = condition;
      const before = known.get(name);
      known.set(name, condition);
      show(name, holds);
      if (before?.holds === holds) return;
      if (!holds) log.error({ condition: name, why }, 'a condition does not hold');
      else if (before !== undefined) log.info({ condition: name, why }, 'a condition holds again');
    },
  };
}

/** A function that fails again and again leaves the process ready, and degraded. */
export function runCondition(name: string, outcome: Outcome): Condition {
  const failed = outcome.kind === 'retry' || outcome.kind === 'give-up';
  return {
    name: `runs-of-${name}`,
    holds: !failed,
    why: failed ? `${outcome.why}; the log says more` : 'they end well',
  };
}
