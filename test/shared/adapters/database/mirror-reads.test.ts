import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Mirror } from '#shared/ports.ts';
import { committed, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const cluster = 'main';
const count = 20_000;
let sql: Sql;

/** Ten of each label, owner and key, and as many of another kind whose terms differ by its name alone. */
beforeAll(async () => {
  sql = postgres((await freshDatabase()).url, { max: 2, onnotice: () => undefined });
  await sql`
    insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
      resource_version, generation, labels, owners, keys, terms, body)
    select ${cluster}, '', resource, 'uid-' || n, resource, 'team-' || n % 40, 'name-' || n, 1, '1', 1,
      jsonb_build_object('app', 'app-' || n / 10), array['owner-' || n / 10], array['by=' || n / 10],
      array[${cluster} || '//' || resource || ' label app=app-' || n / 10,
        ${cluster} || '//' || resource || ' owner owner-' || n / 10,
        ${cluster} || '//' || resource || ' key by=' || n / 10],
      json_build_object('apiVersion', 'v1', 'kind', 'Pod', 'metadata', json_build_object('name',
        'name-' || n, 'namespace', 'team-' || n % 40, 'uid', 'uid-' || n), 'spec', repeat('x', 300))
    from generate_series(1, ${count / 2}::int) as n, unnest(array['pods', 'configmaps']) as resource`;
  await sql`analyze objects`;
}, 60_000);
afterAll(() => sql.end());

/** What a read answers, and how many rows of the mirror were looked at for it. */
async function rowsReadBy<T>(read: (mirror: Mirror) => Promise<T>, of = sql) {
  return of.begin(async (tx) => {
    const looked = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
        from pg_stat_xact_user_tables where relname = 'objects'`;
      return row?.rows ?? 0;
    };
    const before = await looked();
    const answer = await read(mirrorOn(tx as unknown as Sql, { cluster }));
    return { answer, rows: (await looked()) - before };
  });
}

async function countOf(mirror: Mirror, options: Parameters<Mirror['list']>[1]): Promise<number> {
  let found = 0;
  for await (const _ of (await mirror.list(pods, options)).objects) found += 1;
  return found;
}

describe(`a mirror of ${count} objects`, () => {
  it.each<[string, NonNullable<Parameters<Mirror['list']>[1]>]>([
    ['a label', { labels: { matchLabels: { app: 'app-7' } } }],
    [
      'values of a label',
      { labels: { matchExpressions: [{ key: 'app', operator: 'In', values: ['app-7'] }] } },
    ],
    ['an owner', { owner: 'owner-7' }],
    ['the key of an index', { index: { name: 'by', key: '7' } }],
  ])('finds those of %s by an index', async (_, options) => {
    const { answer, rows } = await rowsReadBy((mirror) => countOf(mirror, options));
    expect(answer).toBe(10);
    expect(rows).toBeLessThan(100);
  });

  it('finds one by name and by uid without looking at others', async () => {
    const at = { namespace: 'team-7', name: 'name-7' };
    const byName = await rowsReadBy((mirror) => mirror.find(pods, at));
    const byUid = await rowsReadBy((mirror) => mirror.findByUid(pods, 'uid-7'));
    expect(byName.answer.object?.metadata.uid).toBe('uid-7');
    expect(byUid.answer.object?.metadata.name).toBe('name-7');
    expect(byName.rows + byUid.rows).toBeLessThan(10);
  });

  it('reads few of the large ones at a time', async () => {
    await sql`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body)
      select ${cluster}, '', 'secrets', 'uid-' || n, 'secrets', 'default', 'name-' || n, 1, '1', 1,
        '{}', '{}', '{}', '{}', json_build_object('text', repeat('x', 1024 * 1024))
      from generate_series(1, 10) as n`;
    let asked = 0;
    const debug = (_: unknown, query: string) => {
      if (query.includes('page as materialized')) asked += 1;
    };
    const counted = postgres({ ...sql.options, debug } as never);
    const secrets = { ...pods, resource: 'secrets' };
    let found = 0;
    const { objects } = await mirrorOn(counted, { cluster }).list(secrets);
    for await (const _ of objects) found += 1;
    await counted.end();
    expect([found, asked]).toEqual([10, 3]);
  });

  it('goes from page to page without looking at those before', async () => {
    const { answer, rows } = await rowsReadBy((mirror) => countOf(mirror, { pageSize: 2_500 }));
    expect(answer).toBe(count / 2);
    expect(rows).toBeLessThan(1.2 * (count / 2));
  });
});

describe('a mirror that was empty a moment ago', () => {
  /** An index of such names is the taller one: of two that seem to cost the same, the planner takes the other. */
  const nameOf = (place: number) => `${'long-'.repeat(40)}${place}`;

  it('is read by its indexes as soon as a forwarder has filled it', async () => {
    const { url } = await freshDatabase();
    const fresh = postgres(url, { max: 2, onnotice: () => undefined });
    await fresh`alter table objects set (autovacuum_enabled = false)`;
    const store = storeOn(fresh, { cluster, sender: () => ({ send: async () => undefined }) });
    const term = await termOf(store, 'pods');
    for (let from = 0; from < 4_000; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) =>
        rowOf(`${from + at}`, { name: nameOf(from + at) }),
      );
      await committed(store, term, ({ write }) => write(rows));
    }
    const at = { namespace: 'default', name: nameOf(7) };
    const looked = async () => (await rowsReadBy((mirror) => mirror.find(pods, at), fresh)).rows;
    await until(async () => (await looked()) < 10);
    await fresh.end();
  }, 30_000);
});
