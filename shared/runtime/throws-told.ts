import type { Log } from './log.ts';

export type ThrowLog = Pick<Log, 'error'>;

const quietMs = 1_000;

/**
 * A bug of the judge, for whoever mends it: once, however many caught it, and one a second at most. Whoever sends what
 * is read may know how to bring it about with each image of a pod.
 */
export function throwsTold(log: ThrowLog, now = () => performance.now()) {
  const told = new WeakSet<object>();
  let quietUntil = Number.NEGATIVE_INFINITY;
  let passedOver = 0;
  return (cause: unknown): void => {
    if (cause instanceof Error) {
      if (told.has(cause)) return;
      told.add(cause);
    }
    if (now() < quietUntil) {
      passedOver += 1;
      return;
    }
    quietUntil = now() + quietMs;
    // Which image it was is somebody's text, and stands in the denial.
    log.error({ err: cause, passedOver }, 'an image could not be judged');
    passedOver = 0;
  };
}
