import { createHash, randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import type { Migration } from '#shared/adapters/database/schema.ts';
import { type Kept, kept } from './postgres/kept.ts';

export type FreshDatabase = {
  readonly url: string;
  /** With whoever is still connected. Only of what is large: the rest ends with the server, and is gone sooner so. */
  drop(): Promise<void>;
};

export type Fresh = (options?: { readonly isMigrated?: boolean }) => Promise<FreshDatabase>;

export type TestPostgres = Kept & { readonly freshDatabase: Fresh };

const servers = new Map<string, Promise<TestPostgres>>();

/** The one that is embedded; `test:real` runs the same files on the oldest that is supported as well. */
const usual = process.env['TEST_POSTGRES'] ?? '18';

/** One server for the whole run, started when it is first asked for. Durable it is not, and it is not yours to stop. */
export function postgresForTests(major = usual): Promise<TestPostgres> {
  const server = servers.get(major) ?? open(major);
  servers.set(major, server);
  return server;
}

/** Migrated, empty, and nobody else's. */
export async function freshDatabase(...options: Parameters<Fresh>): Promise<FreshDatabase> {
  return (await postgresForTests()).freshDatabase(...options);
}

/** The oldest that is supported, and the one that is embedded. */
export async function postgresVersions(): Promise<readonly TestPostgres[]> {
  return Promise.all(['15', '18'].map(postgresForTests));
}

async function open(major: string): Promise<TestPostgres> {
  const server = await kept(major);
  const admin = adminOf(server.url);
  let template: Promise<string> | undefined;
  return {
    ...server,
    async freshDatabase({ isMigrated = true } = {}) {
      template ??= ensureTemplate(admin, server.url);
      const source = isMigrated ? await template : 'template0';
      const name = `test_${randomBytes(8).toString('hex')}`;
      // Copying the files of a small database is faster than logging each page: there is nothing to be synced.
      await admin.unsafe(`create database ${name} template ${source} strategy file_copy`);
      return {
        url: within(server.url, name),
        drop: async () => void (await admin.unsafe(`drop database ${name} with (force)`)),
      };
    },
  };
}

/** Named after what is in it, so that migrations made anew meanwhile make another. */
async function ensureTemplate(admin: Sql, url: string): Promise<string> {
  const migrations = await readMigrations();
  const name = `template_${shortHash(migrations)}`;
  await admin`select pg_advisory_lock(1)`;
  try {
    const found = await admin`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await makeTemplate(admin, { url, name, migrations });
    return name;
  } finally {
    await admin`select pg_advisory_unlock(1)`;
  }
}

type Template = {
  readonly url: string;
  readonly name: string;
  readonly migrations: readonly Migration[];
};

async function makeTemplate(admin: Sql, { url, name, migrations }: Template): Promise<void> {
  await admin.unsafe(`drop database if exists half_${name} with (force)`);
  await admin.unsafe(`create database half_${name} template template0`);
  const half = adminOf(within(url, `half_${name}`));
  await migrate(half, { migrations });
  await half.end();
  await admin.unsafe(`alter database half_${name} rename to ${name}`);
}

function shortHash(migrations: readonly Migration[]): string {
  return createHash('sha256')
    .update(migrations.map(({ hash }) => hash).join())
    .digest('hex')
    .slice(0, 16);
}

function within(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

/** One connection, as long as the thread lives. */
function adminOf(url: string): Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
}
