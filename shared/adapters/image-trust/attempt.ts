export type Attempt = {
  /** `undefined`: it cannot be reached now, or could not a moment ago. */
  <T>(work: () => Promise<T>): Promise<{ readonly value: T } | undefined>;
  /** It was heard of: whoever has forgotten something because of that has to be able to read it again. */
  again(): void;
};

type Bounds = { readonly eachMs?: number; readonly restMs?: number };

/** An outage of what we share is nobody's who asks about an image; after one failure nobody waits for the next for a while. */
export function attempts({ eachMs = 1_500, restMs = 1_000 }: Bounds = {}): Attempt {
  let restsUntil = Number.NEGATIVE_INFINITY;
  const attempt = async <T>(work: () => Promise<T>) => {
    if (performance.now() < restsUntil) return undefined;
    const from = performance.now();
    const late = Promise.withResolvers<never>();
    // A plain timer: a signal for each statement of a burst costs more than the statement's own way.
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${eachMs} ms`)), eachMs);
    timer.unref();
    try {
      return { value: await Promise.race([work(), late.promise]) };
    } catch {
      const tookMs = performance.now() - from;
      restsUntil = performance.now() + Math.max(restMs, 3 * tookMs);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
  const again = () => {
    restsUntil = Number.NEGATIVE_INFINITY;
  };
  return Object.assign(attempt, { again });
}
