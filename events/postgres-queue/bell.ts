/** Wakes who waits in this process. */
export type Bell = {
  /** One for each of these functions; everybody where it is not known. */
  ring(functions?: Iterable<string>): void;
  /** Hears from now on, so that what happens before the waiting begins is not missed. */
  listen(functions: readonly string[]): Listening;
};

export type Listening = {
  /** Until it rang, the time is over, or the signal. Whoever comes back looks. How long, may become known meanwhile. */
  wait(ms: Promise<number>, signal: AbortSignal): Promise<void>;
  /** Without having looked since it rang, it is somebody else's turn. */
  end(): void;
};

type Ear = { readonly functions: readonly string[]; readonly hear: () => void; isRung: boolean };

export function openBell(): Bell {
  const ears = new Set<Ear>();
  const ringEar = (ear: Ear): void => {
    ear.isRung = true;
    ear.hear();
  };
  const ring: Bell['ring'] = (functions) => {
    if (functions === undefined) ears.forEach(ringEar);
    else for (const name of new Set(functions)) ringOne(name);
  };
  /** One looks, and calls the next one if there is more than he can take. */
  const ringOne = (name: string): void => {
    const concerned = [...ears].filter((ear) => ear.functions.includes(name));
    const free = concerned.find((ear) => !ear.isRung);
    if (free !== undefined) ringEar(free);
  };

  return {
    ring,
    listen(functions) {
      const rung = Promise.withResolvers<void>();
      const ear: Ear = { functions, hear: rung.resolve, isRung: false };
      ears.add(ear);
      return {
        async wait(ms, signal) {
          const over = ms.then((known) => elapsed(known, signal, rung.promise));
          await Promise.race([rung.promise, over]);
          ear.isRung = false;
        },
        end() {
          ears.delete(ear);
          if (ear.isRung) ring(functions);
        },
      };
    },
  };
}

function elapsed(ms: number, signal: AbortSignal, rung: Promise<void>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    void rung.then(end);
  });
}
