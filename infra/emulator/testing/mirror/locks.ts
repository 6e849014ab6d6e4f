/** A row's lock, held until the end of a transaction; who waits gets it in the order in which they came. */
export type Locks = {
  take(key: string): Promise<() => void>;
};

export function openLocks(): Locks {
  const waiting = new Map<string, (() => void)[]>();
  const give = (key: string): void => {
    const [next, ...others] = waiting.get(key) ?? [];
    if (next === undefined) waiting.delete(key);
    else waiting.set(key, others);
    next?.();
  };

  return {
    async take(key) {
      const queue = waiting.get(key);
      if (queue === undefined) waiting.set(key, []);
      else await new Promise<void>((resolve) => queue.push(resolve) && waiting.set(key, queue));

      let isHeld = true;
      return () => {
        if (isHeld) give(key);
        isHeld = false;
      };
    },
  };
}
