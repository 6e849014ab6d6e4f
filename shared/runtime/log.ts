import { type Logger, pino } from 'pino';
import type { Settings } from '#shared/domain/settings.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
};

type Level = Settings['log']['level'];

const ranks: Readonly<Record<Level, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

/** One JSON line an event, on standard error: standard output belongs to what a verb prints. */
export function openLog({ level }: Settings['log']): Log & { setLevel(level: Level): void } {
  let least = ranks[level];
  let logger: Logger | undefined;
  const at = (rank: Level): Log[Level] => {
    return (fields, message) => {
      if (ranks[rank] < least) return;
      // Where it is bundled it is loaded now: most cold starts have nothing to say before their first answer.
      logger ??= openLogger();
      logger[rank](fields, message);
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    setLevel: (next) => {
      least = ranks[next];
    },
  };
}

function openLogger(): Logger {
  return pino(
    { level: 'debug', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
