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

  it.each([
    ['keeps tombstones for as long as SQS may name them', '28 days 23 hours', true, 1],
    ['takes them away once its messages, and what it buried, are over', '29 days 1 hour', true, 0],
    ['takes them away after an hour where the queue is asked', '2 hours', false, 0],
    ['keeps them within that hour', '59 minutes', false, 1],
  ])('%s', async (_, age, isQueueElsewhere, left) => {
    const cluster = `${age} ${isQueueElsewhere}`;
    await sql`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body, changed_at, deleted_at)
      values (${cluster}, '', 'pods', 'u1', 'pods', 'default', 'a', 1, '1', 1, '{}', '{}', '{}', '{}',
        '{}', now(), now() - ${age}::interval)`;
    const log = { warn: () => undefined };
    const swept = { cluster, followed: [], isQueueElsewhere, looksForOld: false };
    await sweepOnce({ sql, log }, swept);
    expect(await sql`select uid from objects where cluster = ${cluster}`).toHaveLength(left);
  });

  it('takes away tombstones and what earlier builds left, though what nobody follows cannot be swept', async () => {
    await sql`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body, changed_at, deleted_at)
      values ('home', '', 'pods', 'u1', 'pods', 'default', 'a', 1, '1', 1, '{}', '{}', '{}', '{}',
        '{}', now(), now() - interval '2 hours')`;
    await sql`alter table watches rename to watches_elsewhere`;
    const warned: unknown[] = [];
    const log = { warn: (fields: unknown) => warned.push(fields) };
    const annotated = JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { annotations: { data: 'secret' } } },
    });
    await sql`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body, changed_at)
      values ('home', '', 'secrets', 'u2', 'secrets', 'default', 'b', 1, '1', 1, '{}', '{}', '{}',
        '{}', ${annotated}::text::json, now())`;
    const swept = { cluster: 'home', followed: [], isQueueElsewhere: false };
    await sweepOnce({ sql, log }, { ...swept, looksForOld: false });

    const left = () => sql`
      select uid, body::text as body from objects where cluster = 'home'`;
    expect(await left()).toEqual([{ uid: 'u2', body: annotated }]);
    expect(warned).toHaveLength(2);
    await sweepOnce({ sql, log }, { ...swept, looksForOld: true });
    expect(await left()).toMatchObject([{ body: expect.not.stringContaining('annotations') }]);
  });
});
