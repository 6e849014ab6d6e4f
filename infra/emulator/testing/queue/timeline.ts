import type { After } from '#shared/runtime/periods.ts';

/** Invented time: stands still until it is told to go on, and calls what is due on the way. */
export type Timeline = {
  now(): number;
  readonly after: After;
  advance(ms: number): void;
};

type Due = { readonly atMs: number; readonly call: () => void };

export function timelineFrom(startMs: number): Timeline {
  let nowMs = startMs;
  const waiting = new Set<Due>();

  const nextBefore = (endMs: number): Due | undefined =>
    [...waiting]
      .filter(({ atMs }) => atMs <= endMs)
      .reduce<Due | undefined>(
        (first, due) => (first !== undefined && first.atMs <= due.atMs ? first : due),
        undefined,
      );

  return {
    now: () => nowMs,
    after(ms, call) {
      const due = { atMs: nowMs + Math.max(ms, 0), call };
      waiting.add(due);
      return () => waiting.delete(due);
    },
    advance(ms) {
      const endMs = nowMs + ms;
      for (let due = nextBefore(endMs); due !== undefined; due = nextBefore(endMs)) {
        waiting.delete(due);
        nowMs = Math.max(nowMs, due.atMs);
        due.call();
      }
      nowMs = endMs;
    },
  };
}
