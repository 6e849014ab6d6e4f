import { syncBuiltinESMExports } from 'node:module';
import type { Log } from '#shared/runtime/log.ts';

/** As Node has it: for us, who may. */
export const leave = process.exit.bind(process);

/** What a user's own function forgot, or does beside its runs, must not end all of it. */
export function outliveFunctions(log: Log): () => void {
  const strays = {
    unhandledRejection: 'a promise was rejected that nobody waited for',
    uncaughtException: 'an error was thrown that nobody caught, as by a timer of a function',
  };
  const told = Object.entries(strays).map(([event, message]) => {
    const tell = (err: unknown) => log.error({ err }, message);
    process.on(event, tell);
    return () => process.off(event, tell);
  });
  exitBy(refuse);
  return () => {
    exitBy(leave);
    for (const off of told) off();
  };
}

function exitBy(exit: typeof process.exit): void {
  process.exit = exit;
  // For whoever imports it by its name.
  syncBuiltinESMExports();
}

function refuse(): never {
  throw new Error('process.exit was called: a function returns its outcome, and does not exit');
}
