/** So many at a time of each kind; the others wait in line. */
export type Turnstile = {
  /** `undefined`: it was not its turn in time, and the work was not begun. */
  pass<T>(turn: Turn, mostMs: number, work: () => Promise<T>): Promise<T | undefined>;
  /** Of what is not over: whether it was not its turn at once. What is late then is no outage. */
  hasWaited(whose: Turn['whose']): boolean;
};

/** `whose`: by which whoever waits for what comes of it asks about it. */
export type Turn = { readonly line: string; readonly whose: string | object };

type Line = { inside: number; readonly waiting: Set<() => void> };

export function turnstile(most: number): Turnstile {
  const lines = new Map<string, Line>();
  const waited = new Set<Turn['whose']>();
  const leave = (key: string, line: Line) => {
    const [next] = line.waiting;
    // Whoever is called takes the place of the one who leaves: nobody comes between the two.
    if (next !== undefined) return next();
    line.inside -= 1;
    if (line.inside === 0) lines.delete(key);
  };
  const inside = async <T>(key: string, line: Line, work: () => Promise<T>) => {
    try {
      return await work();
    } finally {
      leave(key, line);
    }
  };
  return {
    async pass({ line: key, whose }, mostMs, work) {
      const line = lines.get(key) ?? { inside: 0, waiting: new Set() };
      lines.set(key, line);
      const isFree = line.inside < most;
      if (isFree) line.inside += 1;
      else waited.add(whose);
      try {
        if (!isFree && !(await called(line.waiting, mostMs))) return undefined;
        return await inside(key, line, work);
      } finally {
        waited.delete(whose);
      }
    },
    hasWaited: (whose) => waited.has(whose),
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
