import type { Log } from '../log.ts';

/**
 * A promise that a function forgot must not end the server that others stand behind. What it throws outside of any call
 * leaves nobody knows what half done: this replica finishes what it has and ends, and another one begins.
 */
export function onStrays(log: Log, drain: () => void): void {
  process.on('unhandledRejection', (cause) => {
    log.error({ err: cause }, 'a promise was rejected that nobody waited for');
  });
  process.on('uncaughtException', (cause) => {
    log.error({ err: cause }, 'something was thrown that nobody caught; this replica drains');
    drain();
  });
}
