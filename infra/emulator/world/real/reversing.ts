export type Reversing = {
  /** Resolves when it is this run's turn, with what ends it. */
  enter(): Promise<() => void>;
};

/** So long nobody else has come. */
const quietMs = 100;

/** Whoever comes waits for those that come after, and the last goes first, one at a time; `onEmpty` when nobody is left. */
export function openReversing(onEmpty: () => void): Reversing {
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;

  const next = () => {
    const last = waiting.pop();
    isBusy = last !== undefined;
    if (last === undefined) return onEmpty();
    last();
  };
  return {
    enter() {
      const { promise, resolve } = Promise.withResolvers<() => void>();
      waiting.push(() => resolve(next));
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!isBusy) next();
      }, quietMs);
      return promise;
    },
  };
}
