import type { Serving } from '#shared/runtime/serve.ts';

type Stoppable = Pick<Serving, 'stop'>;

export type Life<T extends Stoppable> = {
  /** What serves at first. */
  readonly serving: T;
  /** What serves now; nothing in the midst of a restart. */
  now(): T | undefined;
  restart(): Promise<void>;
  /** For good. */
  stop(): Promise<void>;
};

/** What serves ends and begins anew, at the same ports; one of them at a time. */
export async function openLife<T extends Stoppable>(serveOnce: () => Promise<T>): Promise<Life<T>> {
  const serving = await serveOnce();
  let now: T | undefined = serving;
  let last = Promise.resolve();
  let isOver = false;
  /** Asked for, and not begun: whoever asks meanwhile means the same one. */
  let coming: Promise<void> | undefined;

  const end = async () => {
    const ending = now;
    now = undefined;
    await ending?.stop();
  };
  const anew = async () => {
    coming = undefined;
    if (isOver) return;
    await end();
    now = await serveOnce();
  };
  const afterLast = (act: () => Promise<void>) => {
    const next = last.then(act);
    last = next.catch(() => {});
    return next;
  };
  return {
    serving,
    now: () => now,
    restart() {
      coming ??= afterLast(anew);
      return coming;
    },
    stop() {
      isOver = true;
      return afterLast(end);
    },
  };
}
