import type { Condition } from '#shared/domain/condition.ts';
import type { Conditions } from '#shared/ports.ts';

export type RecordedConditions = Conditions & {
  /** Every report, oldest first. */
  readonly reports: readonly Condition[];
  /** The newest report of that name. */
  find(name: string): Condition | undefined;
};

export function conditionsRecorded(): RecordedConditions {
  const reports: Condition[] = [];
  return {
    reports,
    report(condition) {
      reports.push(condition);
    },
    find: (name) => reports.findLast((condition) => condition.name === name),
  };
}
