import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { committed, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

let fresh: FreshDatabase;
let sql: ReturnType<typeof postgres>;

beforeAll(async () => {
  fresh = await freshDatabase();
  sql = postgres(fresh.url, { max: 2, onnotice: () => undefined });
});

afterAll(async () => {
  await sql.end();
  await fresh.drop();
});

/** By uid, of the first row of each page. */
async function firstOfEachPage(): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ uid: string; page: string }[]>`
    select distinct on (page) uid, page from (
      select uid, ctid, (ctid::text::point)[0]::text as page from objects) as placed
    order by page, ctid`;
  return new Map(rows.map(({ uid, page }) => [uid, page]));
}

async function pageOf(uid: string): Promise<string | undefined> {
  const [row] = await sql<{ page: string }[]>`
    select (ctid::text::point)[0]::text as page from objects where uid = ${uid}`;
  return row?.page;
}

// What somebody else's transaction keeps alive takes room: one change a page is sure of its own.
it.each([
  ['two of which would fill it with their next versions', 1_300],
  ['that is nearly half of it', 3_000],
])('in each page is room for the next version of a pod, %s, with its body', async (_, bytes) => {
  await sql`truncate objects`;
  const sender = () => ({ send: async () => undefined });
  const store = storeOn<Outgoing>(sql, { cluster: 'default', sender });
  const term = await termOf(store, `pods-of-${bytes}`);
  const rowsOf = (uids: readonly string[], phase: string) =>
    uids.map((uid) => {
      const text = randomBytes((bytes * 3) / 4).toString('base64');
      return rowOf(uid, { object: { spec: { text }, status: { phase } } });
    });
  const write = (uids: readonly string[], phase: string) =>
    committed(store, term, (transaction) => transaction.write(rowsOf(uids, phase)));
  await write(
    Array.from({ length: 40 }, (_, at) => `pod-${at}`),
    'Pending',
  );
  const before = await firstOfEachPage();
  // The last one may be nearly empty.
  expect(before.size).toBeGreaterThan(9);
  await write([...before.keys()], 'Running');
  for (const [uid, page] of before) expect(await pageOf(uid)).toBe(page);
  const [elsewhere] = await sql`
    select pg_relation_size(reltoastrelid)::int as bytes from pg_class
    where oid = 'objects'::regclass`;
  expect(elsewhere).toEqual({ bytes: 0 });
});
