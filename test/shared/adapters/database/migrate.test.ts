import { afterEach, describe, expect, it } from 'vitest';
import { readMigrations } from '#infra/migrations/read.ts';
import { failureOf, isDatabaseError } from '#shared/adapters/database/failure.ts';
import { migrate, readSchema } from '#shared/adapters/database/migrate.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { type Applied, type Migration, schemaState } from '#shared/adapters/database/schema.ts';
import { schemaFlaw } from '#shared/adapters/database/schema-flaw.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { committed, findUids, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const one: Migration = { name: '0000_one', hash: 'a', statements: ['create table one (id int)'] };
const two: Migration = {
  name: '0001_two',
  hash: 'b',
  statements: ['alter table one add column note text', 'create index one_note on one (note)'],
};
const broken: Migration = {
  name: '0001_two',
  hash: 'c',
  statements: ['create table half (id int)', 'insert into half values (1)', 'create tabel oops'],
};
const narrowing: Migration = { name: '0002_narrow', hash: 'd', statements: ['drop table one'] };

const applied = (migration: Migration, isAdditive = true): Applied => ({
  ...migration,
  isAdditive,
});

const serverOf = (version: number, encoding = 'UTF8') => ({ version, encoding });

describe('schemaState', () => {
  it.each([
    ['an empty database', [], 150_018, { kind: 'behind', missing: [one, two] }],
    ['the version before', [applied(one)], 150_018, { kind: 'behind', missing: [two] }],
    ['this version', [applied(one), applied(two)], 180_004, { kind: 'current', ahead: [] }],
    [
      'a newer one that only adds',
      [applied(one), applied(two), applied(narrowing)],
      180_004,
      { kind: 'current', ahead: ['0002_narrow'] },
    ],
  ])('lets run on %s', (_, has, server, expected) => {
    expect(schemaState([one, two], has, serverOf(server))).toEqual(expected);
  });

  it.each([
    [
      'a newer schema',
      [applied(one), applied(narrowing, false)],
      180_004,
      'newer-schema',
      '0002_narrow',
    ],
    ['a migration of another text', [{ ...applied(one), hash: 'z' }], 180_004, 'other', '0000_one'],
    ['Postgres 14', [applied(one)], 140_011, 'too-old-server', '14'],
  ])('refuses %s', (_, has, server, kind, named) => {
    expect(schemaState([one, two], has, serverOf(server))).toMatchObject({
      kind: 'unusable',
      failure: { kind, what: expect.stringContaining(named), mend: expect.stringMatching(/./) },
    });
  });

  it.each(['LATIN1', 'WIN1252', 'EUC_JP'])('refuses %s, which has not every letter', (encoding) => {
    expect(schemaState([one], [applied(one)], serverOf(180_004, encoding))).toMatchObject({
      kind: 'unusable',
      failure: {
        kind: 'wrong-encoding',
        what: expect.stringContaining(encoding),
        mend: expect.stringContaining('UTF8'),
      },
    });
  });
});

describe('migrate', () => {
  const closings: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
  });

  const open = (url: string) => {
    const { sql, close } = openDatabase(url, { name: 'test', isPatient: true, connections: 2 });
    closings.push(close);
    return sql;
  };
  async function database() {
    const { url } = await freshDatabase({ isMigrated: false });
    const connect = () => open(url);
    return { url, sql: connect(), connect };
  }

  it('brings an empty database up to date, and says each step', async () => {
    const { sql } = await database();
    const steps: string[] = [];
    const onApplied = ({ name }: Migration) => void steps.push(name);
    await migrate(sql, { migrations: [one, two], onApplied });
    await migrate(sql, { migrations: [one, two], onApplied });
    expect(steps).toEqual(['0000_one', '0001_two']);
    expect(await sql`select note from one`).toEqual([]);
  });

  it('adds only what is missing to the schema of the version before', async () => {
    const { sql } = await database();
    await migrate(sql, { migrations: [one] });
    await sql`insert into one values (1)`;
    expect(await readSchema(sql, [one, two])).toEqual({ kind: 'behind', missing: [two] });
    await migrate(sql, { migrations: [one, two] });
    expect(await sql`select id, note from one`).toEqual([{ id: 1, note: null }]);
  });

  it('applies each step once, however many migrate at the same time', async () => {
    const { connect, sql } = await database();
    const steps: string[] = [];
    const onApplied = ({ name }: Migration) => void steps.push(name);
    const all = Array.from({ length: 6 }, () =>
      migrate(connect(), { migrations: [one, two], onApplied }),
    );
    const states = await Promise.all(all);
    expect(steps.toSorted()).toEqual(['0000_one', '0001_two']);
    expect(states).toEqual(states.map(() => ({ kind: 'current', ahead: [] })));
    expect(await sql`select name from gatehouse_migrations order by name`).toHaveLength(2);
  });

  it('leaves nothing of a step that fails, and all of those before it', async () => {
    const { sql } = await database();
    await expect(migrate(sql, { migrations: [one, broken] })).rejects.toMatchObject({
      code: '42601',
    });
    expect(await sql`select to_regclass('half') as half`).toEqual([{ half: null }]);
    expect(await readSchema(sql, [one, two])).toEqual({ kind: 'behind', missing: [two] });
  });

  it('lets the version before run on a schema that was only added to, and refuses another', async () => {
    const { sql } = await database();
    await migrate(sql, { migrations: [one, two] });
    expect(await migrate(sql, { migrations: [one] })).toEqual({
      kind: 'current',
      ahead: ['0001_two'],
    });

    await migrate(sql, { migrations: [one, two, narrowing] });
    const refused = await migrate(sql, { migrations: [one, two], where: 'h/d as u' }).catch(
      (cause: unknown) => cause,
    );
    expect(failureOf(refused).kind).toBe('newer-schema');
    expect(refused).toMatchObject({
      where: 'h/d as u',
      message: expect.stringContaining('0002_narrow'),
    });
    expect(await sql`select name from gatehouse_migrations`).toHaveLength(3);
  });

  async function encoded(encoding: string) {
    const { sql, url } = await database();
    const name = `${new URL(url).pathname.slice(1)}_${encoding.toLowerCase()}`;
    await sql.unsafe(
      `create database ${name} template template0 encoding '${encoding}' locale 'C'`,
    );
    return open(Object.assign(new URL(url), { pathname: name }).href);
  }

  it('makes nothing in a database that has not every letter, and says how to make one', async () => {
    const sql = await encoded('LATIN1');
    const refused = await migrate(sql, { migrations: [one], where: 'h/d as u' }).catch(
      (cause: unknown) => cause,
    );
    expect(failureOf(refused).kind).toBe('wrong-encoding');
    expect(await sql`select to_regclass('one') as one`).toEqual([{ one: null }]);
    const flaw = await schemaFlaw({ sql, where: 'h/d as u' }, [one]);
    expect(flaw).toMatchObject({ where: 'h/d as u', mend: expect.stringContaining('UTF8') });
  });

  it('takes SQL_ASCII, which keeps what it is given', async () => {
    const sql = await encoded('SQL_ASCII');
    await migrate(sql, { migrations: await readMigrations() });
    const store = storeOn(sql, {
      cluster: 'main',
      sender: () => ({ send: async () => undefined }),
    });
    const term = await termOf(store, 'pods');
    const note = 'é Ω 🎉 \0 \ud83c half';
    const row = rowOf('a', {
      name: 'wéb-🎉',
      labels: { note },
      object: { metadata: { name: 'web', labels: { note } } },
    });
    await committed(store, term, ({ write }) => write([row]));
    expect(await findUids(store, term, ['a'])).toMatchObject([
      { name: 'wéb-🎉', object: row.object },
    ]);
  });

  it('asks for no right to write where nothing is missing', async () => {
    const { sql } = await database();
    await migrate(sql, { migrations: [one] });
    const state = await sql.begin('read only', (tx) => readSchema(tx, [one]));
    expect(state).toEqual({ kind: 'current', ahead: [] });
  });

  it.each([
    ['may use none', { username: 'shut', password: 'p' }, '("$user", public)'],
    ['is sent to one that is not there', { search: '?search_path=nowhere' }, '(nowhere)'],
  ])('asks for a schema where the user %s, not for migrations', async (_, login, path) => {
    const { sql, url } = await database();
    await migrate(sql, { migrations: [one] });
    const role = `${new URL(url).pathname.slice(1)}_shut`;
    await sql.unsafe(`create role ${role} login password 'p'`);
    await sql`revoke usage on schema public from public`;
    const own = 'username' in login ? { ...login, username: role } : login;
    const shut = open(Object.assign(new URL(url), own).href);
    const asking = [() => migrate(shut, { migrations: [one] }), () => readSchema(shut, [one])];
    for (const ask of asking) {
      const refused = await ask().catch((cause: unknown) => cause);
      const what = expect.stringContaining(`of its search_path ${path}`);
      expect(failureOf(refused)).toMatchObject({ kind: 'no-right', what });
      // It may be given it, which who waits shall see.
      expect(isDatabaseError(refused)).toBe(false);
    }
    await sql.unsafe(`drop role ${role}`);
  });
});
