import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { sweepOnce } from '#shared/runtime/forwarding/sweeping.ts';
import { freshDatabase } from '#test/support/postgres.ts';

describe('a sweep of the mirror', () => {
  let sql: Sql;
  beforeAll(async () => {
    const { url } = await freshDatabase();
    sql = postgres(url, { max: 2, onnotice: () => undefined });
  }, 30_000);
  afterAll(() => sql.end({ timeout: 0 }));

  it('takes tombstones away, though what nobody follows cannot be swept', async () => {
    await sql`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body, changed_at, deleted_at)
      values ('home', '', 'pods', 'u1', 'pods', 'default', 'a', 1, '1', 1, '{}', '{}', '{}', '{}',
        '{}', now(), now() - interval '2 hours')`;
    await sql`alter table watches rename to watches_elsewhere`;
    const warned: unknown[] = [];
    const log = { warn: (fields: unknown) => warned.push(fields) };
    await sweepOnce({ sql, log }, { cluster: 'home', followed: [], isQueueElsewhere: false });

    expect(await sql`select uid from objects`).toHaveLength(0);
    expect(warned).toHaveLength(2);
  });
});
