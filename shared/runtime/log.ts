import { pino } from 'pino';
import type { Settings } from '#shared/domain/settings.ts';
import type { Log } from './admission/host.ts';

export type { Log } from './admission/host.ts';

/** One JSON line an event, on standard error: standard output belongs to what a verb prints. */
export function openLog({ level }: Settings['log']): Log & { setLevel(level: string): void } {
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    setLevel: (next) => {
      logger.level = next;
    },
  };
}
