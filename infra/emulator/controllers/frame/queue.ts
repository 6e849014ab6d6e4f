import type { Outcome } from '#shared/domain/outcome.ts';

export type KeyedQueue = {
  /** Runs the key once, later on, however often it is added before. */
  add(key: string, afterMs?: number): void;
  /** Nothing runs before. */
  start(): void;
  close(): void;
};

export type QueueOptions = {
  run(key: string): Promise<Outcome>;
  /** Runs that were of no avail, with how often in a row. */
  onFailure(key: string, why: string, times: number): void;
  readonly workers: number;
};

const leastBackoffMs = 10;
const mostBackoffMs = 30_000;

/** A key never runs twice at a time; what is added while it runs makes it run again. */
export function openQueue({ run, onFailure, workers }: QueueOptions): KeyedQueue {
  const ready = new Set<string>();
  const running = new Set<string>();
  const timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  const failures = new Map<string, number>();
  let isOpen = false;

  const add = (key: string, afterMs = 0) => {
    if (afterMs <= 0) {
      cancel(key);
      ready.add(key);
      next();
      return;
    }
    const at = performance.now() + afterMs;
    const waiting = timers.get(key);
    if (ready.has(key) || (waiting !== undefined && waiting.at <= at)) return;
    cancel(key);
    timers.set(key, { timer: setTimeout(() => add(key), Math.min(afterMs, mostTimer)), at });
  };
  const cancel = (key: string) => {
    clearTimeout(timers.get(key)?.timer);
    timers.delete(key);
  };
  const next = () => {
    if (!isOpen) return;
    for (const key of ready) {
      if (running.size >= workers) return;
      if (running.has(key)) continue;
      ready.delete(key);
      running.add(key);
      void work(key);
    }
  };
  const work = async (key: string) => {
    const outcome = await run(key).catch(failed);
    running.delete(key);
    if (!isOpen) return;
    settle(key, outcome);
    next();
  };
  const settle = (key: string, outcome: Outcome) => {
    if (outcome.kind === 'conflict' || outcome.kind === 'retry') {
      const times = (failures.get(key) ?? 0) + 1;
      failures.set(key, times);
      onFailure(key, outcome.why, times);
      add(key, Math.min(leastBackoffMs * 2 ** times, mostBackoffMs));
      return;
    }
    failures.delete(key);
    if (outcome.kind === 'later') add(key, outcome.afterSeconds * 1_000);
    if (outcome.kind === 'give-up') onFailure(key, outcome.why, 1);
  };

  return {
    add,
    start() {
      isOpen = true;
      next();
    },
    close() {
      isOpen = false;
      for (const key of timers.keys()) cancel(key);
      ready.clear();
    },
  };
}

/** Node fires a longer one at once. */
const mostTimer = 2 ** 31 - 1;

function failed(cause: unknown): Outcome {
  return { kind: 'retry', why: cause instanceof Error ? cause.message : String(cause) };
}
