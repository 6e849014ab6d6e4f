/** What stands in the bundles of our webhook configurations, seen for one CA. */
export type Observed = {
  /** Entries that do not carry it, as people name them. */
  readonly lacking: readonly string[];
  /** Changes whenever any of the configurations does, and when one comes or goes. */
  readonly version: string;
};

/** Since when all bundles have been seen to carry it, unchanged. */
export type Settling = { readonly since: Date; readonly version: string };

export type Progress =
  | { readonly kind: 'lacking' }
  /** They carry it: the time runs from now on. */
  | { readonly kind: 'begins'; readonly settling: Settling }
  | { readonly kind: 'settles'; readonly leftMs: number }
  | { readonly kind: 'settled' };

/**
 * API servers learn of a bundle by watch, each at a time of its own: only what has stood unchanged for the settle time
 * is known to all. A change in between, seen or not, shows in the version and starts the time anew.
 */
export function progressOf(
  observed: Observed,
  settling: Settling | undefined,
  { now, settleMs }: { readonly now: Date; readonly settleMs: number },
): Progress {
  if (observed.lacking.length > 0) return { kind: 'lacking' };
  if (settling === undefined || settling.version !== observed.version) {
    return { kind: 'begins', settling: { since: now, version: observed.version } };
  }
  const leftMs = leftOf(settling.since, now, settleMs);
  if (leftMs === undefined) {
    return { kind: 'begins', settling: { since: now, version: observed.version } };
  }
  return leftMs > 0 ? { kind: 'settles', leftMs } : { kind: 'settled' };
}

/** `undefined` where the beginning lies so far ahead that the clock must have been set back. */
export function leftOf(since: Date, now: Date, settleMs: number): number | undefined {
  const passedMs = now.getTime() - since.getTime();
  return passedMs < -settleMs ? undefined : Math.max(0, settleMs - passedMs);
}
