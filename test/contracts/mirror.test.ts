import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { backfillKey, mirrorShelf, watchKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import type { Backfill, Cursor } from '#shared/domain/mirrored.ts';
import { indexNames, indexRecord } from '#shared/domain/named-index.ts';
import { type Scope, scopeName } from '#shared/domain/watched.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { mirrorContract } from './mirror.ts';

const opened: Sql[] = [];
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end()));
});

async function openSql(): Promise<Sql> {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 4, onnotice: () => undefined });
  opened.push(sql);
  return sql;
}

const shared = openSql();
let cases = 0;
/** The server may have to be started, on a machine that does other things. */
beforeAll(async () => void (await shared), 30_000);

function indexing(names: readonly string[], isDone: boolean): Backfill {
  return { function: indexRecord, fingerprint: indexNames(names), after: '', isDone };
}

mirrorContract('the mirror on Postgres', async () => {
  const sql = await shared;
  cases += 1;
  const cluster = `c${cases}`;
  const elsewhere = () => mirrorOn(sql, { cluster: 'elsewhere' });
  const restore = async () =>
    void (await sql`insert into clusters (cluster, uid, epoch) values (${cluster}, 'u', 2)`);
  const writer = mirrorWriter(sql, cluster);
  return {
    mirror: mirrorOn(sql, { cluster }),
    ...writer,
    noteIndexes: (scope, names, isDone) => writer.setBackfill(scope, indexing(names, isDone)),
    beginList: (scope) => writer.moveTo(scope.kind, 'listing', scope),
    async watchedUpTo(scope, resourceVersion) {
      const { group, resource } = scope.kind;
      const at = { position: 'watching', resource_version: resourceVersion, is_retired: false };
      const watch = { cluster, scope: scopeName(scope), api_group: group, resource, ...at };
      await sql`
        insert into watches ${sql({ ...watch, epoch: 1, generation: 1 })}
        on conflict (cluster, scope) do update set ${sql(at)}`;
    },
    async retire(scope) {
      await sql`
        update watches set is_retired = true
        where cluster = ${cluster} and scope = ${scopeName(scope)}`;
    },
    restore,
    elsewhere,
  };
});

mirrorContract('the mirror in memory', async () => {
  const shelf = mirrorShelf();
  const mirror = mirrorInMemory({ shelf });
  const move = (scope: Scope, at: Cursor['at']) => {
    const [like] = shelf.watches.values();
    if (like === undefined) throw new Error('nothing is followed');
    const watch = { ...like, scope: scopeName(scope), cursor: { ...like.cursor, at } };
    shelf.watches.set(watchKey(watch), watch);
  };
  return {
    mirror,
    beginList: async (scope) => move(scope, 'listing'),
    watchedUpTo: async (scope, resourceVersion) => move(scope, { resourceVersion }),
    async noteIndexes(scope, names, isDone) {
      const place = { cluster: 'main', scope: scopeName(scope) };
      const stored = { ...place, backfill: indexing(names, isDone) };
      shelf.backfills.set(backfillKey(place, indexRecord), stored);
    },
    async retire(scope) {
      for (const [key, watch] of shelf.watches) {
        const isRetired = watch.isRetired || watch.scope === scopeName(scope);
        shelf.watches.set(key, { ...watch, isRetired });
      }
    },
    restore: async () => void shelf.clusters.set('main', { uid: 'u', epoch: 2 }),
    put: async (...given) => mirror.put(...given),
    remove: async (...given) => mirror.remove(...given),
    elsewhere: () => mirrorInMemory(),
  };
});
