/** So many at a time of each kind; the others wait in line. */
export type Turnstile = {
  /** `undefined`: it was not its turn in time, and the work was not begun. `waits` is called where it is not its turn at once. */
  pass<T>(
    key: string,
    mostMs: number,
    work: () => Promise<T>,
    waits?: () => void,
  ): Promise<T | undefined>;
};

type Line = { inside: number; readonly waiting: Set<() => void> };

export function turnstile(most: number): Turnstile {
  const lines = new Map<string, Line>();
  const leave = (key: string, line: Line) => {
    const [next] = line.waiting;
    // Whoever is called takes the place of the one who leaves: nobody comes between the two.
    if (next !== undefined) return next();
    line.inside -= 1;
    if (line.inside === 0) lines.delete(key);
  };
  return {
    async pass(key, mostMs, work, waits) {
      const line = lines.get(key) ?? { inside: 0, waiting: new Set() };
      lines.set(key, line);
      const isFree = line.inside < most;
      if (isFree) line.inside += 1;
      if (!isFree) waits?.();
      if (!isFree && !(await called(line.waiting, mostMs))) return undefined;
      try {
        return await work();
      } finally {
        leave(key, line);
      }
    },
  };
}

function called(waiting: Line['waiting'], mostMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isCalled: boolean) => {
      clearTimeout(timer);
      waiting.delete(call);
      resolve(isCalled);
    };
    const call = () => end(true);
    const timer = setTimeout(() => end(false), mostMs);
    waiting.add(call);
  });
}
