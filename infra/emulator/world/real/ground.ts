import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import type { Log } from '#shared/runtime/log.ts';
import { openQueueing } from '#shared/runtime/worker/queueing.ts';
import { startPostgres } from '../../../embedded-postgres/start.ts';
import { readMigrations } from '../../../migrations/read.ts';
import { emulatedCluster } from '../../cluster/emulated-cluster.ts';
import { removerOf } from './remove-now.ts';

export type RealGround = Awaited<ReturnType<typeof openGround>>;

/** An API server over HTTP, a Postgres, and our own looks into both. Closed with the stack, the last first. */
export async function openGround(
  stack: AsyncDisposableStack,
  {
    clusterName,
    databaseUrl,
  }: { readonly clusterName: string; readonly databaseUrl?: string | undefined },
) {
  const cluster = await emulatedCluster({ bookmarkMs: 200 });
  stack.defer(() => cluster.close());
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  const admin = await openCluster({ login, userAgent: 'world' });
  stack.defer(() => admin.close());
  const session = await openSession(login);
  stack.defer(() => session.close());

  const url = databaseUrl ?? (await ownPostgres(stack));
  const database = openDatabase(url, { name: 'gatehouse world' });
  stack.defer(() => database.close());
  await migrate(database.sql, { migrations: await readMigrations(), where: database.where });
  const { sql } = database;
  const given = { url, sql, cluster: clusterName, functions: [], onTrouble: () => {} };
  const queueing = await openQueueing({ choice: { kind: 'postgres' }, ...given });
  stack.defer(() => queueing.close());
  const removeNow = removerOf(session);
  return { cluster, login, admin, removeNow, sql, queueing, databaseUrl: url };
}

async function ownPostgres(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-world-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ folder, isDurable: false });
  stack.defer(() => postgres.stop());
  return postgres.url;
}

/** Keeps what was said, for whoever looks for a fault's traces. */
export function logTo(lines: string[]): Log {
  const write = (fields: object, message: string) => {
    const { err, ...plain } = { err: undefined, ...fields };
    const cause = err === undefined ? '' : ` ${String(err)}`;
    lines.push(`${new Date().toISOString()} ${message} ${JSON.stringify(plain)}${cause}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}
