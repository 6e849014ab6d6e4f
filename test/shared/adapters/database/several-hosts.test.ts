import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '#infra/embedded-postgres/start.ts';
import { failureOf } from '#shared/adapters/database/failure.ts';
import { openHeard } from '#shared/adapters/database/heard.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { stateFolder } from '#test/infra/embedded-postgres/state-folder.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const login = `several_${process.pid}`;

/** The same login and database on each, as a standby has them of its primary. */
async function admit(url: string): Promise<string> {
  await asked(url, `create role ${login} superuser login password 'p'`);
  await asked(url, `create database ${login}`);
  return new URL(url).host;
}

async function asked(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}

const at = (...hosts: readonly string[]) => `postgres://${login}:p@${hosts.join(',')}/${login}`;
const nobody = '127.0.0.1:1';

describe('a database on several hosts', () => {
  const state = stateFolder();
  const starting = { folder: state.folder, elsewhere: state.root, isDurable: false };
  const databases: Database[] = [];
  const open = (url: string, connections = 1) => {
    const database = openDatabase(url, { name: 'test', connections });
    databases.push(database);
    return database.sql;
  };
  let [primary, standby] = ['', ''];
  let promoted: Promise<EmbeddedPostgres>;

  beforeAll(async () => {
    primary = await admit((await freshDatabase({ isMigrated: false })).url);
    const before = await startPostgres(starting);
    standby = await admit(before.url);
    await before.stop();
    writeFileSync(join(before.data, 'standby.signal'), '');
    // Started it counts as when it takes writes.
    await new Promise<void>((resolve) => {
      promoted = startPostgres({
        ...starting,
        pickPort: async () => Number(new URL(before.url).port),
        log: (text) => text.includes('accept read-only connections') && resolve(),
      });
    });
  });

  afterAll(async () => {
    await Promise.all(databases.map(({ close }) => close()));
    await asked(at(standby), 'select pg_promote()').catch(() => 'it has been');
    await (await promoted).stop();
    state.remove();
  });

  it.each([
    ['first', () => at(standby, primary)],
    ['last', () => at(primary, standby)],
    ['between others', () => at(nobody, standby, primary)],
  ])('is asked at its primary alone, where a standby is named %s', async (_, url) => {
    const sql = open(url(), 3);
    const sessions = Array.from(
      { length: 9 },
      () => sql`select pg_is_in_recovery() as standby, pg_sleep(0.02)::text`,
    );
    for (const [row] of await Promise.all(sessions)) expect(row?.['standby']).toBe(false);
    await sql.begin((tx) => tx`create temporary table written (id int)`);
  });

  it.each([
    ['hangs', () => undefined],
    ['is starting up', (socket: Socket) => void socket.end(startingUp)],
  ])('is asked and heard at the next one, where the first %s', async (_, answers) => {
    const first = await serverThat([(socket) => void socket.write('N'), answers]);
    const { url } = await freshDatabase();
    const { host } = new URL(url);
    const sql = open(url.replace(host, `${first.host},${host}`));
    const heard = openHeard(sql, { cluster: 'blue', kinds: [] });
    await Promise.all([
      sql`select 1`,
      vi.waitFor(() => expect(heard.beatAgeMs()).toBeLessThan(3_000), 20_000),
    ]);
    await heard.close();
    first.close();
  });

  it('is said to take no writes where none of them is a primary, and is asked again', async () => {
    const sql = open(at(nobody, standby));
    for (let time = 0; time < 2; time += 1) {
      const refused = await sql`select 1`.catch((cause: unknown) => cause);
      expect(failureOf(refused)).toMatchObject({
        kind: 'read-only',
        what: expect.stringContaining(`of ${nobody}, ${standby} none that answers is a primary`),
      });
    }
    await asked(at(standby), 'select pg_promote()');
    expect(await sql`select pg_is_in_recovery() as standby`).toEqual([{ standby: false }]);
  });

  it('fails what asked where a pooler, which says not what it leads to, is lost when it is asked', async () => {
    const pooler = await poolerThat((socket) => socket.destroy());
    const sql = open(at(nobody, pooler.host));
    const lost = await sql`select 1`.catch((cause: unknown) => cause);
    expect(failureOf(lost)).toMatchObject({
      kind: 'no-server',
      what: expect.stringContaining('closed the connection'),
    });
    pooler.close();
  });
});

/** Lets everybody in, and tells no parameter of its server. */
function poolerThat(answers: Step) {
  const hello = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
  return serverThat([
    (socket) => void socket.write('N'),
    (socket) => void socket.write(hello),
    answers,
  ]);
}

const startingUp = Buffer.from('E\0\0\0\x1cSFATAL\0C57P03\0Mnot yet\0\0', 'latin1');

type Step = (socket: Socket) => void;

/** Takes a step for each piece that comes. */
async function serverThat(steps: readonly Step[]) {
  const server = createServer((socket) => {
    const left = [...steps];
    socket.on('error', () => undefined).on('data', () => left.shift()?.(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, close: () => server.close() };
}
