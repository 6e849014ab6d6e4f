/** What is to go wrong in the process that runs the functions. Faults set it, runs use it up. */
export type Troubles = {
  /** So many messages come again after they were handled. */
  again: number;
  /** So many are handled twice at the same time. */
  twins: number;
  /** So many runs end, and the process dies before it can say so. */
  deaths: number;
  /** Groups are taken from the end: until the world has settled. */
  isReversed: boolean;
  /** The next run of each function begins so much later. */
  coldMs: number;
  cold: Set<string>;
  /** What the functions' clock is ahead. */
  skewMs: number;
};

export function noTroubles(): Troubles {
  return {
    again: 0,
    twins: 0,
    deaths: 0,
    isReversed: false,
    coldMs: 0,
    cold: new Set(),
    skewMs: 0,
  };
}
