import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { committed, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';

async function begin(setting?: string) {
  const { url } = await freshDatabase();
  if (setting !== undefined) await setThere(url, setting);
  const sql = postgres(url, { max: 4, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const sender = () => ({ send: async () => undefined });
  const store = storeOn<Outgoing>(sql, { cluster: 'default', sender });
  const term = await termOf(store, 'pods');
  const object = { spec: { text: 'what is long, and repeats itself. '.repeat(500) } };
  return {
    sql,
    async folded(uid: string) {
      await committed(store, term, (transaction) => transaction.write([rowOf(uid, { object })]));
      const [row] =
        await sql`select pg_column_compression(body) as by from objects where uid = ${uid}`;
      return row?.['by'];
    },
  };
}

async function setThere(url: string, compression: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  const name = new URL(url).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set default_toast_compression = '${compression}'`);
  await sql.end();
}

describe('a long body', () => {
  it('is folded up by the best that the server has', async () => {
    const { sql, folded } = await begin();
    const [setting] = await sql`
      select 'lz4' = any(enumvals) as "isThere" from pg_settings
      where name = 'default_toast_compression'`;
    expect(await folded('a')).toBe(setting?.['isThere'] ? 'lz4' : 'pglz');
  });

  it('is folded up as somebody has set it', async () => {
    const { folded } = await begin('pglz');
    expect(await folded('a')).toBe('pglz');
  });
});
