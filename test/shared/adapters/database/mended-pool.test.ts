import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sql } from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
let fresh: FreshDatabase;
let sql: Sql;

const open = (url: string): Sql => postgres(url, { max: 1, idle_timeout: 0, backoff: () => 0.01 });

beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: false });
});
beforeEach(async () => {
  sql = open(fresh.url);
  await sql`select 1`;
});
afterEach(() => sql.end({ timeout: 1 }));
afterAll(() => fresh.drop());

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (cause: unknown) => Object(cause).code,
  );

describe('a connection of the mended library', () => {
  it('belongs to the next transaction when the last one has lost it', async () => {
    const lost = sql.begin(async (tx) => {
      await tx`select ${1}::int, pg_terminate_backend(pg_backend_pid())`;
    });
    const next = Array.from({ length: 5 }, (_, at) =>
      sql.begin((tx) =>
        Promise.all([
          tx<{ at: number }[]>`select ${at}::int as at`,
          tx<{ twice: number }[]>`select ${at}::int * 2 as twice`,
        ]),
      ),
    );
    expect(await codeOf(lost)).toBe('CONNECTION_CLOSED');
    expect(await Promise.all(next)).toEqual(
      [0, 1, 2, 3, 4].map((at) => [[{ at }], [{ twice: at * 2 }]]),
    );
  });

  it('fails whatever a lost transaction still asks for', async () => {
    const late = Promise.withResolvers<unknown>();
    const lost = sql.begin(async (tx) => {
      await codeOf(tx`select pg_terminate_backend(pg_backend_pid())`);
      await sql`select 1`;
      late.resolve(codeOf(tx`select 2`));
      await late.promise;
    });
    expect(await codeOf(lost)).toBe('CONNECTION_CLOSED');
    expect(await late.promise).toBe('CONNECTION_CLOSED');
  });

  it('holds nothing of a transaction that is over', async () => {
    const answered = async () => {
      const rows = await sql.begin(async (tx) => [...(await tx`select 1`), 'much']);
      return new WeakRef(rows);
    };
    const held = await answered();
    // Whoever is looked at lives to the end of that turn, and in the error that shows it.
    await vi.waitFor(() => {
      collect();
      expect(held.deref() === undefined).toBe(true);
    });
  });

  it('fails what a reserved connection that was lost is asked for', async () => {
    const own = await sql.reserve();
    expect(await codeOf(own`select pg_terminate_backend(pg_backend_pid())`)).not.toBe('none');
    expect(await codeOf(own`select 1`)).toBe('CONNECTION_CLOSED');
  });

  it('answers in full after a statement that failed in the middle of its rows', async () => {
    const failing = sql`select 1 / (50 - i) as x from generate_series(1, 100) as i`;
    expect(await codeOf(failing)).toBe('22012');
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('answers in full after it was lost in the middle of some rows', async () => {
    const listening = postgres(fresh.url, { max: 1, idle_timeout: 0, fetch_types: false });
    const lost = listening`
      select case i when 2000 then pg_terminate_backend(pg_backend_pid()) end, repeat('a', 100)
      from generate_series(1, 3000) as i`;
    expect(await codeOf(lost)).toBe('CONNECTION_CLOSED');
    expect(await listening`select 1 as one`).toEqual([{ one: 1 }]);
    await listening.end();
  });

  it.each([98, 99, 100, 101])('begins a transaction behind %i statements', async (count) => {
    const before = Array.from({ length: count }, () => sql`select 1 as one`.execute());
    expect(await sql.begin((tx) => tx`select 7 as seven`)).toEqual([{ seven: 7 }]);
    await Promise.all(before);
  });

  it('fails a statement that cannot be sent, and no other', async () => {
    const before = sql`select pg_sleep(0.05), 1 as one`;
    const codes = [before, sql`select ${Object(1).nothing}`, sql`select 2 as two`].map(codeOf);
    expect(await Promise.all(codes)).toEqual(['none', 'UNDEFINED_VALUE', 'none']);
  });

  it('listens again after its connection was lost twice', async () => {
    const heard: string[] = [];
    const listens: (() => void)[] = [];
    const next = () => new Promise<void>((resolve) => listens.push(resolve));
    const first = next();
    await sql.listen(
      'news',
      (text) => heard.push(text),
      () => listens.shift()?.(),
    );
    await first;
    for (let lost = 0; lost < 2; lost += 1) {
      const again = next();
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`;
      await again;
    }
    await sql.notify('news', 'hello');
    await expect.poll(() => heard, { interval: 5 }).toEqual(['hello']);
  });
});

/** The library's own sockets, to end them in a moment that the network would have to be lucky to hit. */
function openOn(
  onSocket: (socket: Socket) => void,
  { url = fresh.url, max = 1, backoffSeconds = 0.01 } = {},
): Sql {
  const { hostname, port } = new URL(url);
  const socket = () => {
    const made = connect(Number(port), hostname);
    onSocket(made);
    return Object.assign(made, { host: hostname });
  };
  return postgres(url, { max, idle_timeout: 0, backoff: () => backoffSeconds, ...{ socket } });
}

describe('connections of the mended library', () => {
  it.each([
    ['goes on', () => undefined],
    ['fails', () => Promise.reject(new Error('no more'))],
  ])('survive a cursor that %s after its connection was lost', async (_, goOn) => {
    const sockets: Socket[] = [];
    const cut = openOn((socket) => sockets.push(socket));
    const gone = Promise.withResolvers<void>();
    const reading = cut`select generate_series(1, 9)`.cursor(3, async () => {
      for (const socket of sockets) await once(socket.destroy(), 'close');
      gone.resolve();
      return goOn();
    });
    expect(await codeOf(reading)).toBe('CONNECTION_CLOSED');
    await gone.promise;
    expect(await cut`select 1 as one`).toEqual([{ one: 1 }]);
    await cut.end();
  });

  it('come back when all are lost at once', async () => {
    const sockets: Socket[] = [];
    const both = openOn((socket) => sockets.push(socket), { max: 2 });
    await Promise.all([both`select 1`, both`select pg_sleep(0.1)`]);
    // The retry goes to the other connection, whose end is not known yet.
    const retried = codeOf(both`select pg_sleep(5)`).then(() => codeOf(both`select 1`));
    await both`select 1`;
    // What is destroyed last is closed first.
    for (const socket of sockets.toReversed()) socket.destroy();
    await retried;
    const after = Array.from({ length: 4 }, (_each, at) => both`select ${at}::int as at`);
    expect(await Promise.all(after)).toEqual([0, 1, 2, 3].map((at) => [{ at }]));
    await both.end();
  });
});

describe('a login of the mended library', () => {
  it('fails where the connection is taken and ended at once', async () => {
    let logins = 0;
    const server = createServer((socket) => {
      logins += 1;
      socket.on('error', () => undefined).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    const refused = open(`postgres://u:p@127.0.0.1:${port}/d`);
    expect(await codeOf(refused`select 1`)).toBe('CONNECTION_CLOSED');
    expect(logins).toBe(1);
    await refused.end();
    server.close();
  });

  it('fails where the connection is lost while it asks for types', async () => {
    let isCut = false;
    const cut = openOn((socket) => {
      // Its first answer ends with being ready.
      socket.on('data', (bytes) => {
        if (!isCut && bytes.at(-6) === 'Z'.charCodeAt(0)) setImmediate(() => socket.destroy());
        isCut ||= bytes.at(-6) === 'Z'.charCodeAt(0);
      });
    });
    expect(await codeOf(cut`select 1`)).toBe('CONNECTION_CLOSED');
    expect(await cut`select 1 as one`).toEqual([{ one: 1 }]);
    await cut.end();
  });

  it('fails where none of several hosts can be reached, each time', async () => {
    const nowhere = open('postgres://u:p@127.0.0.1:1,127.0.0.1:2/d');
    expect(await codeOf(nowhere`select 1`)).toBe('ECONNREFUSED');
    expect(await codeOf(nowhere`select 1`)).toBe('ECONNREFUSED');
    await nowhere.end();
  });

  it('is not made any more after the end', async () => {
    const closings: Promise<void>[] = [];
    const closing = (socket: Socket) => new Promise<void>((resolve) => socket.on('close', resolve));
    const url = 'postgres://u:p@127.0.0.1:1/d';
    const ended = openOn((socket) => closings.push(closing(socket)), { url, backoffSeconds: 0.1 });
    expect(await codeOf(ended`select 1`)).toBe('ECONNREFUSED');
    await Promise.all(closings);
    const waiting = codeOf(ended`select 2`);
    await ended.end({ timeout: 0.001 });
    expect(await waiting).toBe('CONNECTION_DESTROYED');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(closings).toHaveLength(1);
  });

  it('takes the host that can be reached', async () => {
    const { host } = new URL(fresh.url);
    const second = open(fresh.url.replace(host, `127.0.0.1:1,${host}`));
    expect(await second`select 1 as one`).toEqual([{ one: 1 }]);
    await second.end();
  });
});
