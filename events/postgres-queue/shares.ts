/** How many of a claim a function may have at most. */
export type Share = { readonly function: string; readonly quota: number };

/** What earlier claims have shown. */
export type Fairness = {
  /** Whoever had something, most recently at the end. */
  readonly served: readonly string[];
  /** Those with more than their share. */
  readonly busy: ReadonlySet<string>;
};

export const unknown: Fairness = Object.freeze({ served: [], busy: new Set<string>() });

export type Sharing = { readonly functions: readonly string[]; readonly max: number };

/**
 * No backlog starves another function: who was served longest ago comes first, and those who have much share evenly.
 * Each of n functions is served within n claims.
 */
export function sharesOf(
  { functions, max }: Sharing,
  { served, busy }: Fairness,
): readonly Share[] {
  const wanted = new Set(functions);
  const known = new Set(served);
  const order = [
    ...[...wanted].filter((name) => !known.has(name)),
    ...served.filter((name) => wanted.has(name)),
  ];
  const loud = order.filter((name) => busy.has(name)).length;
  return order.map((name) => ({
    function: name,
    quota: busy.has(name) ? Math.ceil(max / loud) : max,
  }));
}

export type Served = {
  readonly shares: readonly Share[];
  readonly claimed: readonly { readonly function: string }[];
  readonly max: number;
};

export function fairnessAfter(before: Fairness, { shares, claimed, max }: Served): Fairness {
  const got = (name: string) => claimed.filter((each) => each.function === name).length;
  const isFull = claimed.length >= max;
  const hasMore = ({ function: name, quota }: Share): boolean => {
    const count = got(name);
    if (count > 0) return isFull || count >= quota;
    // Where there was no room left, nothing was learnt.
    return isFull && before.busy.has(name);
  };
  const now = shares.map((share) => share.function).filter((name) => got(name) > 0);
  return {
    served: [...before.served.filter((name) => !now.includes(name)), ...now],
    busy: new Set(shares.filter(hasMore).map((share) => share.function)),
  };
}
