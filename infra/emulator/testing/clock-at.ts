import type { Clock } from '#shared/ports.ts';

/** A clock that stands still until it is told to go on. */
export type StoppedClock = Clock & {
  advanceMs(milliseconds: number): void;
  setTo(iso: string): void;
};

export function clockAt(iso: string): StoppedClock {
  let at = millisecondsOf(iso);
  return {
    now: () => new Date(at),
    advanceMs(milliseconds) {
      at += milliseconds;
    },
    setTo(next) {
      at = millisecondsOf(next);
    },
  };
}

function millisecondsOf(iso: string): number {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) throw new Error(`not a date: ${iso}`);
  return at;
}
