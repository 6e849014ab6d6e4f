import type { Measure, Measures } from '#shared/ports.ts';

export type RecordedMeasures = Measures & {
  /** What the last report of that name said. */
  find(name: string): readonly Measure[] | undefined;
};

export function measuresRecorded(): RecordedMeasures {
  const reported = new Map<string, readonly Measure[]>();
  return {
    report(name, values) {
      reported.set(name, values);
    },
    find: (name) => reported.get(name),
  };
}
