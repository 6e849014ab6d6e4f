import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Member, type Membership, membersOf } from '#shared/adapters/database/members.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const set = { cluster: 'blue', group: '', resource: 'pods', namespace: 'team-a', after: '' };
type Stored = Member & {
  readonly cluster?: string;
  readonly resource?: string;
  readonly isDeleted?: boolean;
  readonly mirroredAt?: Date;
};

type Watched = {
  readonly position?: string;
  readonly epoch?: number;
  readonly scope?: string;
  readonly generation?: number;
  readonly caughtUpSecondsAgo?: number;
};

const agoIn = (found: Awaited<ReturnType<typeof membersOf>>) =>
  typeof found === 'string' ? found : Math.round((found.now - found.caughtUpAt) / 1_000);

describe('membersOf', () => {
  let sql: postgres.Sql;

  /** What the forwarder has of the kind: one row a scope. */
  async function watch(...watched: readonly Watched[]): Promise<void> {
    await sql`delete from watches`;
    for (const { position = 'watching', epoch = 2, scope = 'pods', ...more } of watched) {
      const { generation = 1, caughtUpSecondsAgo = null } = more;
      await sql`
        insert into watches (cluster, scope, api_group, resource, epoch, generation, position,
          resource_version, caught_up_at)
        values ('blue', ${scope}, '', 'pods', ${epoch}, ${generation}, ${position},
          ${position === 'watching' ? '7' : null}, now() - ${caughtUpSecondsAgo}::float8 * interval '1 s')`;
    }
  }

  beforeAll(async () => {
    sql = postgres((await freshDatabase()).url, { max: 1 });
    await sql`insert into clusters (cluster, uid, epoch) values ('blue', 'blue-uid', 2)`;
    const rows: readonly Stored[] = [
      { uid: 'u3', namespace: 'team-a', name: 'c' },
      { uid: 'u1', namespace: 'team-a', name: 'a' },
      { uid: 'u2', namespace: 'team-a', name: 'b', mirroredAt: new Date(2_000_000) },
      { uid: 'u4', namespace: 'team-b', name: 'd' },
      { uid: 'u5', namespace: 'team-a', name: 'gone', isDeleted: true },
      { uid: 'u6', namespace: 'team-a', name: 'e', cluster: 'green' },
      { uid: 'u7', namespace: 'team-a', name: 'f', resource: 'services' },
    ];
    for (const { uid, namespace, name, cluster = 'blue', resource = 'pods', ...row } of rows) {
      await sql`
        insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
          resource_version, generation, labels, owners, keys, terms, body, deleted_at, mirrored_at)
        values (${cluster}, '', ${resource}, ${uid}, ${resource}, ${namespace}, ${name}, 1, '1', 1,
          '{}', '{}', '{}', '{}', '{}', ${row.isDeleted === true ? new Date() : null},
          ${row.mirroredAt ?? new Date(1_000_000)})`;
    }
  }, 60_000);

  beforeEach(() => watch({}));
  afterAll(() => sql.end());

  const uidsOf = async (of: Partial<Membership>, max = 10) => {
    const found = await membersOf(sql, { ...set, ...of }, max);
    return typeof found === 'string' ? found : found.members.map(({ uid }) => uid);
  };

  it('are those of a kind and a namespace that live, in the order of their uids', async () => {
    expect(await membersOf(sql, set, 10)).toHaveProperty('members', [
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

  it.each<[string, readonly Watched[]]>([
    ['nothing is known of it yet', [{ position: 'nowhere', generation: 0 }]],
    ['a scope that had all of it is listed anew', [{ position: 'nowhere' }]],
    ['its list is under way', [{ position: 'listing' }]],
    ['its list is of a history that is over', [{ epoch: 1 }]],
    ['one of its scopes is not listed', [{}, { scope: 'pods/team-a', position: 'listing' }]],
  ])('are unknown while %s', async (_, watched) => {
    await watch(...watched);
    expect(await uidsOf({})).toBe('unknown');
  });

  it.each<[string, readonly Watched[]]>([
    ['the kind', []],
    ['more than another namespace of it', [{ scope: 'pods/team-b' }]],
    ['more than some of it', [{ scope: 'pods?app=web' }]],
  ])('are followed by nobody where nobody follows %s', async (_, watched) => {
    await watch(...watched);
    expect(await uidsOf({})).toBe('unfollowed');
  });

  it('are none of a kind that nobody serves', async () => {
    await watch({ position: 'nowhere', caughtUpSecondsAgo: 600 });
    const found = await membersOf(sql, { ...set, namespace: 'team-c' }, 10);
    expect(found).toMatchObject({ members: [] });
    expect(found).toHaveProperty('caughtUpAt', Object(found).now);
  });

  it('are those alone that the mirror has had since a moment, where they are asked for', async () => {
    expect(await uidsOf({ again: { since: 2_000_000 } })).toEqual(['u2']);
    expect(await uidsOf({ again: { since: 2_000_001 } })).toEqual([]);
  });

  it('come with the moment whose cluster they are, by whoever is the furthest behind', async () => {
    await watch({ caughtUpSecondsAgo: 90 }, { scope: 'pods/team-a', caughtUpSecondsAgo: 120 });
    expect(agoIn(await membersOf(sql, set, 10))).toBe(120);
  });

  it('are of no moment while one of their scopes has said none', async () => {
    await watch({ caughtUpSecondsAgo: 90 }, { scope: 'pods/team-a' });
    expect(await membersOf(sql, set, 10)).toMatchObject({ caughtUpAt: 0 });
  });

  it.each(['pods', 'pods?metadata', 'pods/team-a', 'pods/team-a?metadata'])(
    'are known of one namespace where %s is listed',
    async (scope) => {
      await watch({ scope });
      expect(await uidsOf({})).toEqual(['u1', 'u2', 'u3']);
      expect(await uidsOf({ after: 'u3' })).toEqual([]);
    },
  );

  it('are known of one namespace while another one is never listed', async () => {
    await watch({ scope: 'pods/team-a' }, { scope: 'pods/team-b', position: 'nowhere' });
    expect(await uidsOf({})).toEqual(['u1', 'u2', 'u3']);
    expect(await uidsOf({ namespace: 'team-b' })).toBe('unknown');
    expect(await uidsOf({ namespace: '' })).toBe('unfollowed');
  });

  it('are unknown of all namespaces where one alone is listed', async () => {
    await watch({ scope: 'pods/team-a' });
    expect(await uidsOf({ namespace: '' })).toBe('unfollowed');
  });
});
