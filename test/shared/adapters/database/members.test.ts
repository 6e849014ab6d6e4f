import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, membersOf } from '#shared/adapters/database/members.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const set = { cluster: 'blue', group: '', resource: 'pods', namespace: 'team-a', after: '' };
type Stored = Member & {
  readonly cluster?: string;
  readonly resource?: string;
  readonly isDeleted?: boolean;
};

describe('membersOf', () => {
  let sql: postgres.Sql;

  beforeAll(async () => {
    sql = postgres((await freshDatabase()).url, { max: 1 });
    const rows: readonly Stored[] = [
      { uid: 'u3', namespace: 'team-a', name: 'c' },
      { uid: 'u1', namespace: 'team-a', name: 'a' },
      { uid: 'u2', namespace: 'team-a', name: 'b' },
      { uid: 'u4', namespace: 'team-b', name: 'd' },
      { uid: 'u5', namespace: 'team-a', name: 'gone', isDeleted: true },
      { uid: 'u6', namespace: 'team-a', name: 'e', cluster: 'green' },
      { uid: 'u7', namespace: 'team-a', name: 'f', resource: 'services' },
    ];
    for (const { uid, namespace, name, cluster = 'blue', resource = 'pods', ...row } of rows) {
      await sql`
        insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
          resource_version, generation, labels, owners, keys, terms, body, deleted_at)
        values (${cluster}, '', ${resource}, ${uid}, ${resource}, ${namespace}, ${name}, 1, '1', 1,
          '{}', '{}', '{}', '{}', '{}', ${row.isDeleted === true ? new Date() : null})`;
    }
  }, 60_000);

  afterAll(() => sql.end());

  const uidsOf = async (of: Partial<typeof set>, max = 10) =>
    (await membersOf(sql, { ...set, ...of }, max)).map(({ uid }) => uid);

  it('are those of a kind and a namespace that live, in the order of their uids', async () => {
    expect(await membersOf(sql, set, 10)).toEqual([
      { uid: 'u1', namespace: 'team-a', name: 'a' },
      { uid: 'u2', namespace: 'team-a', name: 'b' },
      { uid: 'u3', namespace: 'team-a', name: 'c' },
    ]);
  });

  it('are those of all namespaces where none is named', async () => {
    expect(await uidsOf({ namespace: '' })).toEqual(['u1', 'u2', 'u3', 'u4']);
  });

  it('go on after the last one of the page before', async () => {
    expect(await uidsOf({}, 2)).toEqual(['u1', 'u2']);
    expect(await uidsOf({ after: 'u2' }, 2)).toEqual(['u3']);
    expect(await uidsOf({ after: 'u3' }, 2)).toEqual([]);
  });
});
