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

/** By uid, of each row. */
async function pages(): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ uid: string; page: string }[]>`
    select uid, (ctid::text::point)[0]::text as page from objects`;
  return new Map(rows.map(({ uid, page }) => [uid, page]));
}

it('a pod whose status changes stays in its page, with its body', async () => {
  const sender = () => ({ send: async () => undefined });
  const store = storeOn<Outgoing>(sql, { cluster: 'default', sender });
  const term = await termOf(store, 'pods');
  // More than 2 KB once it is compressed, as the pods of `bench forwarder`.
  const specs = Array.from({ length: 60 }, (_, at) => ({
    uid: `pod-${at}`,
    spec: { text: randomBytes(1_000).toString('hex'), env: 'what repeats itself. '.repeat(100) },
  }));
  const write = async (phase: string) => {
    for (const { uid, spec } of specs) {
      const row = rowOf(uid, { object: { spec, status: { phase } } });
      await committed(store, term, (transaction) => transaction.write([row]));
    }
  };
  await write('Pending');
  const before = await pages();
  expect(before.size).toBe(60);
  for (const phase of ['Running', 'Succeeded']) {
    await write(phase);
    const after = await pages();
    const moved = [...before].filter(([uid, page]) => after.get(uid) !== page);
    expect(moved.length).toBe(0);
  }
  const [elsewhere] = await sql`
    select pg_relation_size(reltoastrelid)::int as bytes from pg_class
    where oid = 'objects'::regclass`;
  expect(elsewhere).toEqual({ bytes: 0 });
});
