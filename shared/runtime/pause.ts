import { setTimeout as wait } from 'node:timers/promises';

/** Ends early with the signal, and then as well as it would have. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause: unknown) {
    if (!signal?.aborted) throw cause;
  }
}
