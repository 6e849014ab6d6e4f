import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { PendingQuery, Row, Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { dial } from '#shared/adapters/database/dial.ts';
import { failureOf } from '#shared/adapters/database/failure.ts';
import { arrayTypes } from '#shared/adapters/database/mended.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { arrayText } from '#shared/domain/array-text.ts';
import { type FreshDatabase, freshDatabase, postgresVersions } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

describe('openDatabase', () => {
  let fresh: FreshDatabase;
  let database: Database;

  beforeAll(async () => {
    fresh = await freshDatabase({ isMigrated: false });
    database = openDatabase(fresh.url, {
      name: 'gatehouse worker',
      connections: 2,
      statementSeconds: 0.3,
    });
  });

  afterAll(async () => {
    await database.close();
    await fresh.drop();
  });

  it('says who it is to the server, and where it is to people', async () => {
    const [row] = await database.sql`select current_setting('application_name') as name`;
    expect(row).toEqual({ name: 'gatehouse worker' });
    expect(database.where).toMatch(/^127\.0\.0\.1:\d+\/test_\w+ as gatehouse$/);
  });

  it('has no statement compiled, which takes longer than to run it', async () => {
    expect(await database.sql`show jit`).toEqual([{ jit: 'off' }]);
  });

  it('ends a statement that takes too long, unless it is patient', async () => {
    const { sql } = database;
    await expect(sql`select pg_sleep(20)`).rejects.toMatchObject({ code: '57014' });
    const patient = openDatabase(fresh.url, {
      name: 'migrate',
      isPatient: true,
      statementSeconds: 0.05,
    });
    expect(await patient.sql`select pg_sleep(0.15)`).toHaveLength(1);
    await patient.close();
  });

  it('fails what ran on a connection that was lost, and then goes on by itself', async () => {
    const { sql } = database;
    const lost = sql`select pg_terminate_backend(pg_backend_pid())`;
    expect(failureOf(await lost.catch((cause: unknown) => cause)).kind).toBe('no-server');
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('lets a transaction whose connection was lost fail as a whole', async () => {
    const { sql } = database;
    await sql`create table whole (id int)`;
    const lost = sql.begin(async (tx) => {
      await tx`insert into whole values (1)`;
      await tx`select pg_terminate_backend(pg_backend_pid())`;
    });
    await expect(lost).rejects.toThrow();
    // The library would go on writing to the lost connection, or throw its last error here.
    expect(await sql`select id from whole`).toEqual([]);
  });
});

describe('types of arrays, for which no server is asked', () => {
  it('have the numbers that each server gives them', async () => {
    for (const { url } of await postgresVersions()) {
      const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
      const rows = await sql`
        select typname as name, oid::int as of, typarray::int as array from pg_catalog.pg_type
        where typname in ${sql(Object.keys(arrayTypes))}`;
      const found = Object.fromEntries(rows.map(({ name, of, array }) => [name, [of, array]]));
      expect(found).toEqual(arrayTypes);
      await close();
    }
  });

  it('are read and written as they always were', async () => {
    const { url, drop } = await freshDatabase({ isMigrated: false });
    const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
    const stated = { texts: ['a', 'b,"c"', ''], ints: [1, 2], none: [] };
    const [row] = await sql`
      select ${stated.texts}::text[] as texts, ${stated.ints}::int[] as ints,
        ${stated.none}::text[] as none, array[1.5, 2]::float8[] as floats,
        array[7]::bigint[] as longs, array[true] as flags, '{}'::jsonb[] as documents`;
    const read = { floats: [1.5, 2], longs: ['7'], flags: [true], documents: [] };
    expect(row).toEqual({ ...stated, ...read });
    await close();
    await drop();
  });
});

describe('a session that takes no writes', () => {
  it.each([
    ['statement', (sql: Sql) => sql`insert into rows values (1)`],
    ['transaction', (sql: Sql) => sql.begin((tx) => tx`insert into rows values (1)`)],
  ])('is not kept: when new ones take them again, so does the next %s', async (_, insert) => {
    const fresh = await freshDatabase({ isMigrated: false });
    const name = new URL(fresh.url).pathname.slice(1);
    const operator = postgres(fresh.url, { max: 1 });
    await operator`create table rows (id int)`;
    await operator.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    const { sql, close } = openDatabase(fresh.url, { name: 'test', connections: 1 });
    for (let time = 0; time < 2; time += 1) {
      const refused = await insert(sql).catch((cause: unknown) => cause);
      expect(failureOf(refused).kind).toBe('read-only');
    }
    await operator.unsafe(`alter database ${name} reset default_transaction_read_only`);
    await insert(sql);
    expect(await sql`select 1 from rows`).toHaveLength(1);
    await Promise.all([close(), operator.end()]);
    await fresh.drop();
  });
});

describe('a database whose sessions begin otherwise than a server’s', () => {
  async function begunWith(setting: string, value: string, query = '') {
    const { url, drop } = await freshDatabase();
    const operator = postgres(url, { max: 1 });
    const name = new URL(url).pathname.slice(1);
    await operator.unsafe(`alter database ${name} set ${setting} = '${value}'`);
    const opened: Database[] = [];
    const open = (isPatient = false) => {
      const database = openDatabase(`${url}${query}`, { name: 'test', connections: 1, isPatient });
      opened.push(database);
      return database.sql;
    };
    const close = async () => {
      await Promise.all([operator.end(), ...opened.map((each) => each.close())]);
      await drop();
    };
    return { operator, open, close };
  }

  it.each([
    ['repeatable read', ''],
    ['serializable', ''],
    ['serializable', '?default_transaction_isolation=serializable'],
  ])('keeps one writer a row, with %s, and %o behind its address', async (isolation, query) => {
    const stage = await begunWith('default_transaction_isolation', isolation, query);
    const sender = () => ({ send: async () => undefined });
    const storeOf = () => storeOn(stage.open(), { cluster: 'main', sender });
    const [one, two, waiting] = [storeOf(), storeOf(), stage.open()];
    const underWay = async (count: number) => {
      const found = await waiting`
        select from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory'`;
      return found.length === count;
    };
    const claim = (store: Store, scope: string) =>
      store.claim(scope, scope, 60_000, 'before-others');
    const [old, young] = await stage.operator.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${0x6c656173}, hashtext('main pods.'))`;
      const first = claim(one, 'pods');
      await until(() => underWay(1));
      const second = claim(two, 'pods/team-a');
      await until(() => underWay(2));
      return [first, second] as const;
    });
    const terms = [(await old)?.term, (await young)?.term];
    const written = terms.map((term) => term && one.transact(term, async () => 1));
    expect(await Promise.all(written)).toEqual([
      { kind: 'fenced' },
      { kind: 'committed', value: 1 },
    ]);
    await stage.close();
  });

  it.each<[string, string, (sql: Sql) => PendingQuery<Row[]>, unknown]>([
    [
      'DateStyle',
      'SQL, DMY',
      (sql) => sql`select timestamptz '2030-02-05 10:00:00.123Z' as read`,
      new Date('2030-02-05T10:00:00.123Z'),
    ],
    [
      'array_nulls',
      'off',
      (sql) => sql`select (${arrayText([null])}::text[])[1] is null as read`,
      true,
    ],
  ])('is read by us as any other, with %s %s', async (setting, value, ask, read) => {
    const stage = await begunWith(setting, value);
    expect(await ask(stage.open())).toEqual([{ read }]);
    await stage.close();
  });

  it('lets a patient session take as long as it takes', async () => {
    const stage = await begunWith('statement_timeout', '50ms');
    expect(await stage.open(true)`select pg_sleep(0.15)`).toHaveLength(1);
    await stage.close();
  });

  it.each([
    ['search_path', 'own'],
    ['synchronous_commit', 'off'],
    ['TimeZone', 'Asia/Kolkata'],
  ])('keeps its %s, which is its operator’s to say', async (setting, value) => {
    const stage = await begunWith(setting, value);
    expect(await stage.open()`select current_setting(${setting}) as kept`).toEqual([
      { kept: value },
    ]);
    await stage.close();
  });
});

/** Between us and the server; from a moment on it takes what it is given and hands nothing on. */
async function openProxy(port: number) {
  let isDead = false;
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.on('data', (bytes) => isDead || to.write(bytes));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: Number(Object(server.address()).port),
    die: () => {
      isDead = true;
    },
    heal: () => {
      isDead = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('dial', () => {
  it('gives up a half-open connection, and the next statement takes another', async () => {
    const fresh = await freshDatabase({ isMigrated: false });
    const proxy = await openProxy(Number(new URL(fresh.url).port));
    const url = Object.assign(new URL(fresh.url), { port: String(proxy.port) }).href;
    // The library takes this option, and has no type for it.
    const sql = postgres(url, { max: 1, idle_timeout: 0, ...{ socket: dial(150) } });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);

    proxy.die();
    const lost = await sql`select 2`.catch((cause: unknown) => cause);
    expect(failureOf(lost).kind).toBe('no-server');
    proxy.heal();
    expect(await sql`select 3 as three`).toEqual([{ three: 3 }]);
    await sql.end();
    proxy.close();
    await fresh.drop();
  });

  it('leaves a connection that listens in peace', async () => {
    const fresh = await freshDatabase({ isMigrated: false });
    const sql = postgres(fresh.url, { max: 1, idle_timeout: 0, ...{ socket: dial(100) } });
    let connected = 0;
    const heard = new Promise<string>((resolve) => {
      void sql.listen('news', resolve, () => {
        connected += 1;
      });
    });
    await sql`select pg_sleep(0.05)`;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await sql.notify('news', 'hello');
    expect(await heard).toBe('hello');
    expect(connected).toBe(1);
    await sql.end();
    await fresh.drop();
  });

  it.each([
    ['lets nobody in', false, () => {}, 'did not let us in in time'],
    [
      'lets nobody in by TLS',
      'require',
      (socket: Socket) => socket.write('S'),
      'let us in in time',
    ],
    ['has no TLS', 'require', (socket: Socket) => socket.write('N'), 'has no TLS'],
  ] as const)('says of a server which one %s', async (_, ssl, answer, words) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => answer(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = Object(server.address());
    const url = `postgres://u:p@127.0.0.1:${port}/d`;
    const sql = postgres(url, { max: 1, ssl, connect_timeout: 0.1, ...{ socket: dial(1_000) } });
    const refused = await sql`select 1`.catch((cause: unknown) => cause);
    expect(failureOf(refused).what).toMatch(new RegExp(`127.0.0.1:${port} .*${words}`));
    await sql.end();
    server.close();
  });

  it('hands on to the statement that nobody listens', async () => {
    const sql = postgres('postgres://u:p@127.0.0.1:1/d', {
      max: 1,
      idle_timeout: 0,
      ...{ socket: dial(1_000) },
    });
    const refused = await sql`select 1`.catch((cause: unknown) => cause);
    expect(failureOf(refused)).toMatchObject({ kind: 'no-server' });
    // Again: a pool of one would hang if the connection had been lost to it.
    await expect(sql`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await sql.end();
  });
});
