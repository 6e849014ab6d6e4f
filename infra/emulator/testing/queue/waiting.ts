import type { After } from '#shared/runtime/periods.ts';

export type Waiting = {
  /** Something may be there now. */
  wake(): void;
  /** Until the next wake, the end of the time, or the signal. */
  change(until: { readonly ms: number; readonly signal?: AbortSignal | undefined }): Promise<void>;
};

export function waitingOn(after: After): Waiting {
  const waiters = new Set<() => void>();
  return {
    wake() {
      for (const waiter of [...waiters]) waiter();
    },
    change: ({ ms, signal }) =>
      new Promise((resolve) => {
        const end = (): void => {
          waiters.delete(end);
          signal?.removeEventListener('abort', end);
          cancel();
          resolve();
        };
        const cancel = after(ms, end);
        waiters.add(end);
        signal?.addEventListener('abort', end);
      }),
  };
}
