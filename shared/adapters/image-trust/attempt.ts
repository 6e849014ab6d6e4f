import { isRefusedQuestion } from '#shared/domain/image-trust/verdict-store.ts';

export type Attempt = {
  /** `undefined`: it cannot be reached now, or could not a moment ago; or it does not take this very question. */
  <T>(work: () => Promise<T>): Promise<{ readonly value: T } | undefined>;
  /** It was heard of: whoever has forgotten something because of that has to be able to read it again. */
  again(): void;
};

type Bounds = {
  readonly eachMs?: number;
  readonly doubtedMs?: number;
  readonly restMs?: number;
  readonly threw?: (cause: unknown) => void;
};

/**
 * An outage of what we share is nobody's who asks about an image; after one failure nobody waits for the next for a while.
 * Less than half of what the last word has: it verifies in the rest. Whoever tries again after silence waits shorter yet, or
 * of a database that hangs for an hour each rest would cost somebody his review.
 */
export function attempts(bounds: Bounds = {}): Attempt {
  const { eachMs = 700, doubtedMs = 150, restMs = 1_000, threw = () => undefined } = bounds;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let isDoubted = false;
  const attempt = async <T>(work: () => Promise<T>) => {
    if (performance.now() < restsUntil) return undefined;
    const from = performance.now();
    const bound = lateAfter(isDoubted ? doubtedMs : eachMs);
    try {
      const working = work();
      // Late as well: it answers, and is given the usual time again.
      const heard = working.then(() => {
        isDoubted = false;
      });
      heard.catch(() => undefined);
      return { value: await Promise.race([working, bound.late]) };
    } catch (cause) {
      tellBug(cause, threw);
      // Texts that some tenant has chosen: it answers all others.
      if (isRefusedQuestion(cause)) return undefined;
      isDoubted ||= cause === tooLate;
      const tookMs = performance.now() - from;
      restsUntil = performance.now() + Math.max(restMs, 3 * tookMs);
      return undefined;
    } finally {
      bound.end();
    }
  };
  const again = () => {
    restsUntil = Number.NEGATIVE_INFINITY;
  };
  return Object.assign(attempt, { again });
}

const bugs = [TypeError, RangeError, ReferenceError];

/** What code throws by itself: no server that is away, or refuses a question, is told of by such an error. */
function tellBug(cause: unknown, threw: (bug: Error) => void): void {
  if (!(cause instanceof Error)) return;
  if (bugs.some((kind) => cause instanceof kind)) threw(cause);
  else tellBug(cause.cause, threw);
}

const tooLate = new Error('no answer in time');

/** A plain timer: a signal for each statement of a burst costs more than the statement's own way. */
function lateAfter(ms: number) {
  const { promise, reject } = Promise.withResolvers<never>();
  // Where we were busy ourselves, the answer may be there: it is looked for first.
  const timer = setTimeout(() => setImmediate(() => reject(tooLate)), ms).unref();
  promise.catch(() => undefined);
  return { late: promise, end: () => clearTimeout(timer) };
}
