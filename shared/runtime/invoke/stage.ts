import type { Database } from '#shared/adapters/database/open.ts';
import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { Definition } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Ports } from '#shared/ports.ts';
import type { Meter } from '../admission/host.ts';
import { openConditions } from '../conditions.ts';
import { followConfig } from '../config/follow.ts';
import { sayProblem } from '../config/load.ts';
import { type Environment, readEnvironment } from '../config.ts';
import { type Log, openLog } from '../log.ts';
import { loginFrom } from '../login.ts';
import { misfitTeller } from '../misfits.ts';
import { wire } from '../wire.ts';

/** What a bundle's one function stands on, in whatever shape it is called. */
export type Stage = {
  readonly environment: Environment;
  readonly settings: () => Settings;
  readonly log: Log;
  readonly meter: Meter;
  readonly ports: Ports;
  portsOf(definition: Definition): Ports;
  livePortsOf(definition: Definition): Ports;
  database(): Promise<Database>;
  close(): Promise<void>;
};

const silent: Meter = {
  ran: () => {},
  failed: () => {},
  late: () => {},
  unreadable: () => {},
  answered: () => {},
  told: () => {},
};

export type Staging = {
  /** What this version has of migrations: nobody applies them here. */
  readonly schema: readonly KnownMigration[];
  readonly environment?: Environment;
  readonly log?: ReturnType<typeof openLog>;
};

export function openStage(
  definition: Definition,
  { schema, environment = readEnvironment(), log = openLog({ level: 'info' }) }: Staging,
): Stage {
  const conditions = openConditions(log, () => {});
  const tell = misfitTeller({ registry: { definitions: [definition] }, conditions });
  const opened = followConfig({ file: environment.configFile, log, onTaken: tell });
  if (!opened.ok) throw new Error(opened.problems.map(sayProblem).join('\n'));
  const { source } = opened;
  tell(source.current());

  // Nobody could scrape a process that comes and goes: what is measured is told by the log.
  const wiring = wire({
    settings: source,
    conditions,
    measures: { report: (measure, values) => log.info({ measure, values }, 'measured') },
    login: loginFrom(environment),
    databaseUrl: environment.databaseUrl,
    schema,
    log,
  });
  return {
    environment,
    settings: source.current,
    log,
    meter: silent,
    ports: wiring.ports,
    portsOf: wiring.portsOf,
    livePortsOf: wiring.livePortsOf,
    database: wiring.database,
    async close() {
      source.close();
      await wiring.close();
    },
  };
}
