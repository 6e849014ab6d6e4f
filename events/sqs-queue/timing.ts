/** The clock, and whatever calls back once; what `after` returns takes that back. */
export type Timing = {
  readonly now: () => number;
  readonly after: (ms: number, call: () => void) => () => void;
};
