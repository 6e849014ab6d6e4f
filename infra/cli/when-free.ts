import { pause } from '#shared/runtime/pause.ts';
import { isInUse } from '../embedded-postgres/start.ts';

export type Waiting = {
  readonly say: (text: string) => unknown;
  /** Whoever has it will not let it go soon. */
  readonly isKept?: () => Promise<boolean>;
  readonly stopped?: AbortSignal | undefined;
  readonly patienceMs?: number | undefined;
};

const againMs = 200;

/** Another process that uses the state folder may be a verb, which ends with its answer. */
export async function whenFree<T>(take: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { say, isKept, stopped, patienceMs = 15_000 } = waiting;
  const until = performance.now() + patienceMs;
  for (let isTold = false; ; isTold = true) {
    stopped?.throwIfAborted();
    try {
      return await take();
    } catch (cause: unknown) {
      if (!isInUse(cause) || performance.now() > until || (await isKept?.())) throw cause;
      if (!isTold) say(`the state folder is in use by ${cause.usedBy}: waiting until it is free`);
    }
    await pause(againMs, stopped);
  }
}
