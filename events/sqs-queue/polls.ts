import { type Claimed, type Claiming, claim, type Source } from './claiming.ts';

/** Long polls, which go on when whoever waited has gone: what they bring is there for the next one. */
export type Polls = {
  isPolling(functionName: string): boolean;
  /** Of all functions. */
  count(): number;
  start(claiming: Claiming): void;
  /** What they brought for these functions, once. */
  take(functions: readonly string[], max: number): readonly Claimed[];
  /** As if a poll had brought it: there is nobody to hand it over to yet. */
  keep(claimed: Claimed): void;
  /** Until a poll ends, the end of the time, or the signal. */
  change(until: { readonly ms: number; readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** No poll is left; what they brought last is given back. */
  close(): Promise<void>;
};

type Waiter = { readonly end: () => void };

export function openPolls(source: Source, giveBack: (claimed: Claimed) => Promise<void>): Polls {
  const running = new Map<string, Promise<void>>();
  const waiters = new Set<Waiter>();
  let brought: readonly Claimed[] = [];

  const keep = (claimed: Claimed): void => {
    brought = [...brought, claimed];
  };
  const poll = async (claiming: Claiming): Promise<void> => {
    const claimed = await claim(source, claiming);
    if (claimed !== undefined) keep(claimed);
    running.delete(claiming.function);
    for (const waiter of [...waiters]) waiter.end();
  };

  return {
    isPolling: (name) => running.has(name),
    count: () => running.size,
    start(claiming) {
      running.set(claiming.function, poll(claiming));
    },
    take(functions, max) {
      const taken = brought.filter((each) => functions.includes(each.function)).slice(0, max);
      brought = brought.filter((each) => !taken.includes(each));
      return taken;
    },
    keep,
    change: (until) => waitOn(waiters, source, until),
    async close() {
      for (const waiter of [...waiters]) waiter.end();
      await Promise.all(running.values());
      await Promise.all(brought.map(giveBack));
      brought = [];
    },
  };
}

type Until = { readonly ms: number; readonly signal?: AbortSignal | undefined };

function waitOn(waiters: Set<Waiter>, { timing }: Source, { ms, signal }: Until): Promise<void> {
  return new Promise((resolve) => {
    const leave = (): void => {
      waiters.delete(waiter);
      signal?.removeEventListener('abort', waiter.end);
      cancel();
    };
    const waiter: Waiter = {
      end() {
        leave();
        resolve();
      },
    };
    const cancel = timing.after(ms, waiter.end);
    waiters.add(waiter);
    signal?.addEventListener('abort', waiter.end);
  });
}
