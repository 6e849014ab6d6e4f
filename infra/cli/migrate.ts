import type { Command } from 'commander';
import { databaseError, failed } from '#shared/adapters/database/failure.ts';
import { migrate, readSchema } from '#shared/adapters/database/migrate.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { readMigrations } from '../migrations/read.ts';
import { outputOption } from './config.ts';
import { asJson, type OutputFormat, type World } from './output.ts';
import { stateOption } from './state.ts';

/** The one that DATABASE_URL names, else the embedded one, which then runs for as long as the verb does. */
export type Server = { readonly url: string; stop(): Promise<void> };

/** `isLook`: where there is none, none is made. */
type Start = (how: {
  readonly isLook: boolean;
  readonly state: string | undefined;
}) => Promise<Server>;

type Options = {
  readonly check?: true;
  readonly state?: string;
  readonly output: OutputFormat;
};

type Report = {
  readonly database: string;
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  /** What a newer version has added; this one runs on it. */
  readonly ahead: readonly string[];
};

export function addMigrate(program: Command, world: World, start: Start): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to this version')
    .option('--check', 'change nothing; fail and say what is missing')
    .addOption(stateOption())
    .addOption(outputOption('text', 'json'))
    .action(async (options: Options) => {
      const server = await start({ isLook: options.check === true, state: options.state });
      try {
        await withDatabase(server.url, (database) => run(database, options, world));
      } finally {
        await server.stop();
      }
    });
}

async function withDatabase(url: string, work: (database: Database) => Promise<void>) {
  const database = openDatabase(url, {
    name: 'gatehouse migrate',
    isPatient: true,
    connections: 1,
  });
  try {
    await work(database);
  } catch (cause: unknown) {
    throw databaseError(cause, database.where);
  } finally {
    await database.close();
  }
}

async function run(database: Database, { check, output }: Options, world: World): Promise<void> {
  const report = check ? await checked(database) : await applied(database, output, world);
  if (report.missing.length > 0) world.fail();
  world.terminal.print(output === 'json' ? asJson(report) : said(report, world));
}

async function checked({ sql, where }: Database): Promise<Report> {
  const state = await readSchema(sql, await readMigrations());
  if (state.kind === 'unusable') throw failed(state.failure, where);
  return {
    database: where,
    applied: [],
    missing: state.kind === 'behind' ? state.missing.map(({ name }) => name) : [],
    ahead: state.kind === 'current' ? state.ahead : [],
  };
}

async function applied(database: Database, output: OutputFormat, world: World): Promise<Report> {
  const { sql, where } = database;
  const names: string[] = [];
  const migrations = await readMigrations();
  const state = await migrate(sql, {
    migrations,
    where,
    onApplied: ({ name }, ms) => {
      names.push(name);
      if (output === 'text') world.terminal.print(`${name}: applied in ${Math.round(ms)} ms\n`);
    },
  });
  const ahead = state.kind === 'current' ? state.ahead : [];
  return { database: where, applied: names, missing: [], ahead };
}

function said({ database, missing, ahead }: Report, { terminal }: World): string {
  const lines = [
    ...missing.map((name) => terminal.paint('red', `${name}: missing`)),
    ...ahead.map((name) => `${name}: of a newer Gatehouse, which this one can run with`),
    missing.length > 0
      ? `${database}: gatehouse migrate would add them`
      : terminal.paint('green', `${database}: the schema is that of this version`),
  ];
  return `${lines.join('\n')}\n`;
}
