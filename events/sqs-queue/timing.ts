/** A clock that is never set back, since times are only compared by it, and whatever calls back once; what `after` returns takes that back. */
export type Timing = {
  readonly now: () => number;
  readonly after: (ms: number, call: () => void) => () => void;
};
