import { expect, it, onTestFinished } from 'vitest';
import { letGo } from '#infra/emulator/dev/let-go.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { freshDatabase } from '#test/support/postgres.ts';

it('what a killed one followed is followed by the next one at once', async () => {
  const { url } = await freshDatabase();
  const database = openDatabase(url, { name: 'test', connections: 1 });
  onTestFinished(() => database.close());
  const store = storeOn(database.sql, { cluster: 'c', sender: () => ({ send: async () => {} }) });
  const claimed = (holder: string) => store.claim('pods', holder, 60_000, 'before-others');
  expect(await claimed('killed')).toMatchObject({ term: { number: 1 } });
  expect(await claimed('next')).toBe(undefined);
  await letGo(url);
  expect(await claimed('next')).toMatchObject({ term: { number: 2 } });
}, 30_000);
