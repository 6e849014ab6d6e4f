import { expect } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import type { Outgoing } from '#events/queue.ts';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes } from '#shared/adapters/database/sweep.ts';
import { pods } from '#shared/domain/kind.ts';
import { freshDatabase } from '#test/support/postgres.ts';

export const cluster = 'main';
export const patienceMs = 20_000;

type RowSeen = { readonly name: string; readonly scope: string; readonly isDeleted: boolean };

export type Database = {
  readonly store: Store;
  rows(): Promise<readonly RowSeen[]>;
  /** As the sweep does, but for one of them; fails while somebody still holds it. */
  retire(scope: string): Promise<void>;
  close(): Promise<unknown>;
};

/** What is sent is put down, and never taken. */
export type Open = (sent: Outgoing[]) => Promise<Database>;

const inMemory: Open = async (sent) => {
  const shelf = mirrorShelf();
  const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
  const open = () => ({ send, commit: () => undefined, rollback: () => undefined });
  return {
    store: storeInMemory({ shelf, cluster, now: Date.now, open }),
    rows: async () =>
      [...shelf.rows.values()].map(({ scope, row: { name, isDeleted } }) => ({
        ...{ name, scope, isDeleted },
      })),
    async retire(scope) {
      for (const [key, watch] of shelf.watches) {
        if (watch.scope === scope) shelf.watches.set(key, { ...watch, isRetired: true });
      }
    },
    close: async () => undefined,
  };
};

const onPostgres: Open = async (sent) => {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 6, onnotice: () => undefined });
  const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
  return {
    store: storeOn<Outgoing>(sql, { cluster, sender: () => ({ send }) }),
    rows: () =>
      sql<RowSeen[]>`
        select name, scope, deleted_at is not null as "isDeleted" from objects order by name`,
    async retire(scope) {
      const all = await sql<{ scope: string }[]>`select scope from watches`;
      const followed = all.map((each) => each.scope).filter((each) => each !== scope);
      expect(await retireScopes(sql, { cluster, followed })).toEqual([scope]);
    },
    close: () => sql.end(),
  };
};

export const databases: readonly (readonly [name: string, open: Open])[] = [
  ['in memory', inMemory],
  ['on Postgres', onPostgres],
];

export function createPod(api: FakeCluster, namespace: string, name: string): void {
  api.objects.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  });
}
