import type { Sql } from 'postgres';
import { afterAll } from 'vitest';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { postgresVersions } from '#test/support/postgres.ts';
import { verdictContract } from '../contracts/verdicts.ts';

const opened: Sql[] = [];
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })));
});

for (const { version, freshDatabase } of await postgresVersions()) {
  const shared = freshDatabase().then(({ url }) => {
    const sql = postgres(url, { max: 6, onnotice: () => undefined });
    opened.push(sql);
    return sql;
  });
  verdictContract(`verdicts on Postgres ${version}`, async () => {
    const sql = await shared;
    return {
      open: () => verdictsOn(sql, { cluster: 'main' }),
      lapse: async ({ key }) =>
        void (await sql`update image_claims set lease_until = now() where collection = ${key}`),
    };
  });
}
