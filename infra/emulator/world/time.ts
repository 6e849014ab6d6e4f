import type { After } from '#shared/runtime/periods.ts';

/** Invented time. It stands still until somebody lets it go on, and calls what is due on the way. */
export type Time = {
  now(): number;
  readonly after: After;
  /** Ends early, and without a word, when the signal does. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** When the next one is due who waits; `undefined` where nobody does. */
  nextAt(): number | undefined;
  /** Goes on to this moment. */
  to(atMs: number): void;
};

type Due = { readonly atMs: number; readonly call: () => void };

export function inventedTime(startMs: number): Time {
  let nowMs = startMs;
  let waiting: readonly Due[] = [];

  const after: After = (ms, call) => {
    const due = { atMs: nowMs + Math.max(ms, 0), call };
    const before = waiting.findLastIndex((each) => each.atMs <= due.atMs);
    waiting = waiting.toSpliced(before + 1, 0, due);
    return () => {
      waiting = waiting.filter((each) => each !== due);
    };
  };
  return {
    now: () => nowMs,
    after,
    pause: (ms, signal) => pauseBy(after, ms, signal),
    nextAt: () => waiting[0]?.atMs,
    to(atMs) {
      for (let due = waiting[0]; due !== undefined && due.atMs <= atMs; due = waiting[0]) {
        waiting = waiting.slice(1);
        nowMs = Math.max(nowMs, due.atMs);
        due.call();
      }
      nowMs = Math.max(nowMs, atMs);
    },
  };
}

function pauseBy(after: After, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = after(ms, end);
    signal?.addEventListener('abort', end);
  });
}
