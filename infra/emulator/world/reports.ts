import type { Condition } from '#shared/domain/condition.ts';
import type { Conditions, Measure, Measures } from '#shared/ports.ts';
import type { Reports } from './world.ts';

export type Reported = {
  readonly conditions: Conditions;
  readonly measures: Measures;
  reports(): Reports;
};

/** What is reported again replaces what was reported before. */
export function openReports(): Reported {
  const conditions = new Map<string, Condition>();
  const measures = new Map<string, readonly Measure[]>();
  return {
    conditions: { report: (condition) => void conditions.set(condition.name, condition) },
    measures: { report: (name, values) => void measures.set(name, values) },
    reports: () => ({
      conditions: [...conditions.values()],
      measures: Object.fromEntries(measures),
    }),
  };
}
