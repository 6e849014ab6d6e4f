type Sparing = {
  readonly now: () => number;
  /** How often a line that says the same is written. */
  readonly everyMs?: number;
  /** So many different ones within that time. */
  readonly most?: number;
};

/** How many such lines were left out before this one: of its own, and of those that were too many. */
export type LeftOut = { readonly passedOver?: number; readonly othersPassedOver?: number };

type Written = { readonly at: number; passedOver: number };

/**
 * For lines that a cluster's user brings about as often as he writes an object. `undefined`: it is to be left out.
 * Whoever makes ever new objects is bounded too, in lines and in memory.
 */
export function openSparing({ now, everyMs = 60_000, most = 100 }: Sparing) {
  const written = new Map<string, Written>();
  let others = 0;
  // A clock that goes back must not silence anybody for longer.
  const isRecent = ({ at }: Written): boolean => Math.abs(now() - at) < everyMs;
  const hasRoom = (): boolean => {
    if (written.size < most) return true;
    for (const [what, each] of written) {
      if (isRecent(each)) continue;
      others += each.passedOver;
      written.delete(what);
    }
    return written.size < most;
  };
  const write = (what: string): LeftOut => {
    const leftOut = { passedOver: written.get(what)?.passedOver ?? 0, othersPassedOver: others };
    written.set(what, { at: now(), passedOver: 0 });
    others = 0;
    return withoutZeros(leftOut);
  };
  return (what: string): LeftOut | undefined => {
    const known = written.get(what);
    if (known !== undefined && isRecent(known)) {
      known.passedOver += 1;
      return undefined;
    }
    if (known !== undefined || hasRoom()) return write(what);
    others += 1;
    return undefined;
  };
}

function withoutZeros(leftOut: LeftOut): LeftOut {
  return Object.fromEntries(Object.entries(leftOut).filter(([, count]) => count > 0));
}
