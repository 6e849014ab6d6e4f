import { DrizzleQueryError } from 'drizzle-orm/errors';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  databaseError,
  failureOf,
  isOutage,
  isRefusal,
} from '#shared/adapters/database/failure.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

const coded = (code: string, message = 'said') => Object.assign(new Error(message), { code });

describe('failureOf', () => {
  it.each([
    ['no-server', coded('ECONNREFUSED')],
    ['no-server', coded('CONNECT_TIMEOUT')],
    ['no-server', coded('CONNECTION_CLOSED')],
    ['no-server', coded('EAI_AGAIN')],
    ['no-trust', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['no-trust', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['no-trust', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['no-trust', coded('TLS_REFUSED')],
    ['no-server', coded('ECONNRESET')],
    ['no-server', coded('EPIPE')],
    ['no-server', coded('57P01')],
    ['no-server', coded('57P03')],
    ['no-server', coded('08006')],
    ['refused-login', coded('28P01')],
    ['refused-login', coded('28000')],
    ['refused-login', coded('3D000')],
    ['no-right', coded('42501')],
    ['no-right', coded('3F000')],
    ['read-only', coded('25006')],
    ['read-only', coded('NO_PRIMARY')],
    ['full', coded('53100')],
    ['full', coded('53300')],
    ['full', coded('53400')],
    ['older-schema', coded('42P01')],
    ['older-schema', coded('42703')],
    ['other', coded('40001')],
    ['other', coded('23505')],
    ['other', new TypeError('x is not a function')],
    ['other', 'a string'],
    ['read-only', new DrizzleQueryError('insert', ['s3cret'], coded('25006'))],
  ])('is %s for %s', (kind, error) => {
    expect(failureOf(error).kind).toBe(kind);
  });

  it.each([
    ...['08006', '53100', '53300', '57014', '57P01', '58030', '25006', '42501', '42P01', '28P01'],
    ...['ECONNRESET', 'EPIPE', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT', 'TLS_REFUSED'],
    'ERR_SOCKET_CLOSED',
  ])('is an outage for %s, which answers nobody', (code) => {
    expect(isOutage(coded(code))).toBe(true);
    expect(isOutage(new DrizzleQueryError('select', [], coded(code)))).toBe(true);
  });

  it.each([
    ...['22021', '22P02', '22P05', '23505', '40001', '40P01', '54000'].map((code) => coded(code)),
    ...[coded('UNDEFINED_VALUE'), coded('ERR_INVALID_ARG_TYPE'), new RangeError('Invalid time')],
  ])('is no outage for what a statement holds: %s', (error) => {
    expect(isOutage(error)).toBe(false);
  });

  it.each([
    ...['22003', '22008', '22021', '23502', '54000', 'UNDEFINED_VALUE'].map((code) => coded(code)),
    ...[new TypeError('x is no text'), new RangeError('Invalid time')],
    new DrizzleQueryError('insert', [], coded('22P05')),
  ])('is a refusal for good of what a statement holds: %s', (error) => {
    expect(isRefusal(error)).toBe(true);
  });

  it.each([
    ...['40001', '40P01', '55P03', '0A000', '42P01', 'XX000', '57P01', 'ECONNREFUSED'].map((code) =>
      coded(code),
    ),
    ...[new TypeError('fetch failed', { cause: coded('ECONNRESET') }), new Error('away'), 'away'],
  ])('is no refusal for good where it may pass, or is the same for all: %s', (error) => {
    expect(isRefusal(error)).toBe(false);
  });

  it.each([
    ['write CONNECT_TIMEOUT db:5432', '', 'db:5432 did not let us in in time'],
    ['write CONNECTION_CLOSED db:5432', '', 'db:5432 closed the connection'],
    [
      'write CONNECTION_CLOSED a,::1:5432,5433',
      '',
      'one of a:5432 and ::1:5433 closed the connection',
    ],
    ['connect ECONNREFUSED 127.0.0.1:1', '', 'nobody listens at 127.0.0.1:1'],
    ['getaddrinfo ENOTFOUND db.example', '', 'nobody knows the name db.example'],
    ['connect EHOSTUNREACH 10.0.0.1:5432 - Local (0)', '', 'no way leads to 10.0.0.1:5432'],
    ['read ECONNRESET', '', 'read ECONNRESET'],
    ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
  ])('says %s in words, and the code once', (message, stated, words) => {
    const code = stated || (message.split(' ')[1] ?? '');
    const { what } = failureOf(coded(code, message));
    expect(what).toContain(`: ${words}`);
    expect(what.split(code)).toHaveLength(2);
  });

  it('says the reason of each address where a name has several', () => {
    const each = ['::1:5432', '127.0.0.1:5432'].map(
      (at) => new Error(`connect ECONNREFUSED ${at}`),
    );
    const both = Object.assign(new AggregateError(each), { code: 'ECONNREFUSED' });
    expect(failureOf(both).what).toMatch(/at ::1:5432.*; nobody listens at 127\.0\.0\.1:5432/);
  });

  it('leaves out what a statement was given', () => {
    const cause = coded('22P02', 'invalid input syntax for type json: "s3cret"');
    const error = databaseError(new DrizzleQueryError('insert', ['s3cret'], cause), 'h/d as u');
    const all = JSON.stringify({ ...error, message: error.message, stack: error.stack });
    expect(all).not.toContain('s3cret');
    expect(error.cause).toBeUndefined();
    expect(error.message).toContain('22P02');
  });
});

const migrations = [
  {
    name: '0000_one',
    hash: 'a',
    statements: ['create table one (id int)', 'create table two (id int)'],
  },
];

describe('a database that cannot take what it is given', () => {
  let database: FreshDatabase;
  let url: (user: string) => string;

  beforeAll(async () => {
    database = await freshDatabase({ isMigrated: false });
    const id = new URL(database.url).pathname.slice(1);
    url = (user) =>
      Object.assign(new URL(database.url), { username: `${user}_${id}`, password: 'p' }).href;
    await as(database.url, (sql) =>
      sql.unsafe(`
        create role guest_${id} login password 'p';
        create role reader_${id} login password 'p';
        alter role reader_${id} set default_transaction_read_only = on;
        grant all on schema public to reader_${id};
        create role crowd_${id} login password 'p' connection limit 0;
        create role filler_${id} login password 'p';
        alter role filler_${id} set temp_file_limit = '64kB';
        alter role filler_${id} set work_mem = '64kB';`),
    );
  });

  afterAll(async () => {
    const id = new URL(database.url).pathname.slice(1);
    const names = ['guest', 'reader', 'crowd', 'filler'].map((name) => `${name}_${id}`).join(', ');
    await as(database.url, (sql) => sql.unsafe(`drop owned by ${names}; drop role ${names}`));
    await database.drop();
  });

  it.each([
    ['no-right', 'guest', 'grant'],
    ['read-only', 'reader', 'primary'],
    ['full', 'crowd', 'max_connections'],
    ['refused-login', 'nobody', 'password'],
  ])('is told to be %s, and nothing half done stays', async (kind, user, mend) => {
    const refused = as(url(user), (sql) => migrate(sql, { migrations }));
    expect(await failureIn(refused)).toMatchObject({ kind, mend: expect.stringContaining(mend) });
    const left = await as(
      database.url,
      (sql) =>
        sql`select relname from pg_class where relname in ('one', 'two', 'gatehouse_migrations')`,
    );
    expect(left).toEqual([]);
  });

  it('is told to be full where a limit on its disk is met', async () => {
    const sorting = as(
      url('filler'),
      (sql) => sql`select n from generate_series(1, 200000) n order by md5(n::text)`,
    );
    expect(await failureIn(sorting)).toMatchObject({ kind: 'full' });
  });

  it('is told to be away where nobody listens, without the password', async () => {
    const away = as('postgres://u:s3cret@127.0.0.1:1/d', (sql) => sql`select 1`);
    const failure = await failureIn(away);
    expect(failure).toMatchObject({
      kind: 'no-server',
      what: expect.stringContaining('127.0.0.1:1'),
    });
    expect(JSON.stringify(failure)).not.toContain('s3cret');
  });

  it('is told to be another one where its name is unknown', async () => {
    const unknown = Object.assign(new URL(database.url), { pathname: '/nowhere' }).href;
    expect(await failureIn(as(unknown, (sql) => sql`select 1`))).toMatchObject({
      kind: 'refused-login',
    });
  });
});

async function as<T>(url: string, work: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

async function failureIn(work: Promise<unknown>) {
  return work.then(() => 'nothing failed', failureOf);
}
