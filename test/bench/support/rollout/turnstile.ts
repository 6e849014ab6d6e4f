/** Lets so many in at the same time; the others wait in order. */
export function turnstile(atMost: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;

  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (inside < atMost) inside += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next();
    }
  };
}
