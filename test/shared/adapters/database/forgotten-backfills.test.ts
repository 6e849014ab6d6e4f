import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storeOn } from '#shared/adapters/database/store.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { termOf } from '#test/contracts/store/stage.ts';
import { type Forgetful, openForgetful } from '#test/support/postgres/forgetful.ts';

const backfill = { function: 'look', fingerprint: 'f', after: '', isDone: true };
const sender = () => ({ send: async () => undefined });

/** Its cursor is where it was: nothing but the server can tell. */
describe('a scope of which the server forgot who was woken for what exists', () => {
  let server: Forgetful;
  let store: ReturnType<typeof storeOn<string>>;
  let term: Term;
  let cases = 0;

  beforeAll(async () => {
    server = await openForgetful();
  }, 60_000);
  afterAll(() => server.close());
  beforeEach(async () => {
    cases += 1;
    store = storeOn<string>(server.sql, { cluster: `c${cases}`, sender });
    term = await termOf(store as never, 'pods');
    await store.transact(term, async () => undefined);
    await server.sql`checkpoint`;
    await store.transact(term, ({ setBackfill }) => setBackfill(backfill));
  });
  const write = async (how?: 'in-company') =>
    (await store.transact(term, async () => undefined, how)).kind;

  it('is claimed anew before anything is written, where the server was killed', async () => {
    await server.kill();
    expect(await store.backfills('pods')).toEqual([]);

    expect([await write(), await write('in-company')]).toEqual(['fenced', 'fenced']);
    term = await termOf(store as never, 'pods');
    expect([await write(), await write('in-company')]).toEqual(['committed', 'committed']);
  });

  it('goes on where the server was shut down', async () => {
    await server.restart();
    expect(await store.backfills('pods')).toEqual([backfill]);
    expect(await write()).toBe('committed');
  });
});
