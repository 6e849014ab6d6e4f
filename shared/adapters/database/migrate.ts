import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';
import { breakingStatements } from './additive.ts';
import { failed } from './failure.ts';
import { requireSchema } from './require-schema.ts';
import {
  type Applied,
  type KnownMigration,
  type Migration,
  type SchemaState,
  type Server,
  schemaState,
} from './schema.ts';

export type Migrating = {
  readonly migrations: readonly Migration[];
  /** For people, in errors. */
  readonly where?: string;
  readonly onApplied?: (migration: Migration, ms: number) => void;
};

type Queries = Sql | TransactionSql;

/** Any number, the same for all versions: migrators of one database wait for each other. */
const lock = 4_283_946_117;

/** Only reads: a user without the right to make tables can serve what somebody else has migrated. */
export async function readSchema<M extends KnownMigration>(
  sql: Queries,
  migrations: readonly M[],
): Promise<SchemaState<M>> {
  await requireSchema(sql);
  const [table] = await sql<{ there: boolean }[]>`
    select to_regclass('gatehouse_migrations') is not null as there`;
  return judged(sql, { migrations, applied: table?.there === true ? await applied(sql) : [] });
}

type Facts<M> = { readonly migrations: readonly M[]; readonly applied: readonly Applied[] };

async function judged<M extends KnownMigration>(
  sql: Queries,
  { migrations, applied }: Facts<M>,
): Promise<SchemaState<M>> {
  const [server = { version: 0, encoding: '' }] = await sql<Server[]>`
    select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding`;
  return schemaState(migrations, applied, server);
}

async function applied(sql: Queries): Promise<readonly Applied[]> {
  return sql<Applied[]>`
    select name, hash, is_additive as "isAdditive" from gatehouse_migrations order by name`;
}

/** What is missing, one transaction each. Wants a patient connection: a statement may take long. */
export async function migrate(sql: Sql, migrating: Migrating): Promise<SchemaState> {
  const { migrations, where = 'the database' } = migrating;
  for (;;) {
    const state = await readSchema(sql, migrations);
    if (state.kind === 'unusable') throw failed(state.failure, where);
    if (state.kind === 'current') return state;
    if (!(await applyNext(sql, migrating))) await sleep(100);
  }
}

/** `false` where another migrator is at it: then what is missing is read anew. */
async function applyNext(sql: Sql, { migrations, onApplied }: Migrating): Promise<boolean> {
  const began = performance.now();
  const outcome = await sql.begin(async (tx) => {
    const [taken] = await tx<{ taken: boolean }[]>`
      select pg_try_advisory_xact_lock(${lock}) as taken`;
    if (taken?.taken !== true) return 'busy';
    // Not asked for by name: in a transaction, a server may go on saying that there is none.
    await makeTable(tx);
    const state = await judged(tx, { migrations, applied: await applied(tx) });
    const [next] = state.kind === 'behind' ? state.missing : [];
    if (next !== undefined) await apply(tx, next);
    return next;
  });
  if (outcome === 'busy') return false;
  if (outcome !== undefined) onApplied?.(outcome, performance.now() - began);
  return true;
}

async function makeTable(tx: TransactionSql): Promise<void> {
  await tx`
    create table if not exists gatehouse_migrations (
      name text primary key,
      hash text not null,
      is_additive boolean not null,
      applied_at timestamptz not null default now()
    )`;
}

async function apply(tx: TransactionSql, { name, hash, statements }: Migration): Promise<void> {
  for (const statement of statements) await tx.unsafe(statement);
  const isAdditive = breakingStatements(statements).length === 0;
  await tx`
    insert into gatehouse_migrations (name, hash, is_additive)
    values (${name}, ${hash}, ${isAdditive})`;
}
