import { expect, it } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { freshDatabase } from '#test/support/postgres.ts';

it('is the oldest that is supported whose databases the tests of this project are given', async () => {
  const { url, drop } = await freshDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const [server] = await sql<
    { version: string }[]
  >`select current_setting('server_version') as version`;
  expect(server?.version).toMatch(/^15\./);
  await sql.end();
  await drop();
});
