import { expect, it, onTestFinished } from 'vitest';
import { letGo } from '#infra/emulator/dev/let-go.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { freshDatabase } from '#test/support/postgres.ts';

async function open() {
  const { url } = await freshDatabase();
  const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
  onTestFinished(close);
  const store = storeOn(sql, { cluster: 'c', sender: () => ({ send: async () => {} }) });
  const claimed = (holder: string) => store.claim('pods', holder, 60_000, 'before-others');
  return { url, sql, claimed };
}

it('what a killed one followed is followed by the next one at once', async () => {
  const { url, claimed } = await open();
  expect(await claimed('killed')).toMatchObject({ term: { number: 1 } });
  expect(await claimed('next')).toBe(undefined);
  await letGo(url, { folder: '/state' });
  expect(await claimed('next')).toMatchObject({ term: { number: 2 } });
}, 30_000);

it('what a newer version has stored is refused and left as it is; what it has only added is not', async () => {
  const { url, sql, claimed } = await open();
  await claimed('killed');
  await sql`insert into gatehouse_migrations values ('9998_more', 'x', true)`;
  await sql`insert into gatehouse_migrations values ('9999_other', 'x', false)`;
  const going = letGo(url, { folder: '/state', forgetting: '--fresh' });
  await expect(going).rejects.toMatchObject({
    message: 'this state folder is of a newer Gatehouse',
    where: ['the schema is newer than this Gatehouse: it has 9999_other', '/state/postgres'],
    mend: 'update gatehouse, or name another folder by --state, or forget what is in it by --fresh',
  });
  expect(await claimed('next')).toBe(undefined);
  await sql`delete from gatehouse_migrations where name = '9999_other'`;
  await letGo(url, { folder: '/state' });
  expect(await claimed('next')).toMatchObject({ term: { number: 2 } });
}, 30_000);

it('a schema that was made otherwise is refused in words of its own', async () => {
  const { url, sql } = await open();
  await sql`update gatehouse_migrations set hash = 'x' where name = '0000_schema'`;
  await expect(letGo(url, { folder: '/state/against/c' })).rejects.toMatchObject({
    message: 'the database of this state folder cannot be used',
    where: [expect.stringContaining('0000_schema'), '/state/against/c/postgres'],
    mend: 'name another folder by --state',
  });
}, 30_000);
