import { afterAll, beforeAll, expect, it } from 'vitest';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { wire } from '#shared/runtime/wire.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh?.drop());

it('has no more sessions at once than its settings allow', async () => {
  const wiring = wire({
    settings: settingsFixed({ database: { connections: 3 } }),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
    login: undefined,
    databaseUrl: fresh.url,
  });
  const { sql } = await wiring.database();
  const asked = Array.from(
    { length: 12 },
    () => sql`select pg_backend_pid() as pid, pg_sleep(0.01)`,
  );
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(([row]) => row?.['pid'])).size).toBe(3);
  await wiring.close();
});
