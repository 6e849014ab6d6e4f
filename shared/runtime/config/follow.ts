import type { Settings } from '#shared/domain/settings.ts';
import type { openLog } from '../log.ts';
import { sayProblem } from './load.ts';
import { type ConfigChange, type Opened, openConfig } from './source.ts';

type Following = {
  readonly file: string | undefined;
  readonly log: ReturnType<typeof openLog>;
  readonly onTaken?: (settings: Settings) => void;
};

/** The configuration of a process that goes on: each change is told, and the log follows its level. */
export function followConfig({ file, log, onTaken }: Following): Opened {
  const opened = openConfig({ file, onChange: tell });
  const started = opened.ok ? opened.source.current() : undefined;
  if (started !== undefined) log.setLevel(started.log.level);
  if (opened.ok) warnOf(opened.source.warnings());
  return opened;

  function warnOf(warnings: readonly string[]): void {
    if (warnings.length > 0) log.warn({ warnings }, 'some of the configuration is not used');
  }

  function tell(change: ConfigChange): void {
    switch (change.kind) {
      case 'taken':
        log.setLevel(change.settings.log.level);
        log.info({ generation: change.generation }, 'a new configuration is served');
        warnOfRestart(change.settings);
        onTaken?.(change.settings);
        break;
      case 'refused':
        log.error(
          { problems: change.problems.map(sayProblem) },
          'a changed configuration is refused; the last good one is kept',
        );
        break;
      case 'restored':
        log.info({}, 'the configuration is good again');
        break;
      case 'warned':
        warnOf(change.warnings);
        break;
    }
  }

  function warnOfRestart(now: Settings): void {
    const changed = started === undefined ? [] : readOnceChanges(started, now);
    if (changed.length > 0) log.warn({ changed }, 'these take effect at the next start only');
  }
}

/** What is read once, when the sockets are opened. */
const readOnce = {
  server: ['address', 'port', 'probePort', 'minTls'],
  certificates: ['source', 'directory'],
} as const;

export function readOnceChanges(started: Settings, now: Settings): readonly string[] {
  return [
    ...readOnce.server
      .filter((key) => started.server[key] !== now.server[key])
      .map((key) => `server.${key}`),
    ...readOnce.certificates
      .filter((key) => started.certificates[key] !== now.certificates[key])
      .map((key) => `certificates.${key}`),
  ];
}
