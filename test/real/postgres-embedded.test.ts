import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { sayError } from '#infra/cli/output.ts';
import { packagedBinaries } from '#infra/embedded-postgres/binaries.ts';
import { pidIn } from '#infra/embedded-postgres/left-over.ts';
import { lodgedBefore } from '#infra/embedded-postgres/lodging.ts';
import { type EmbeddedPostgres, startPostgres } from '#infra/embedded-postgres/start.ts';
import { accountsIn, waysFor } from '#infra/embedded-postgres/way.ts';
import { failureOf } from '#shared/adapters/database/failure.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { stateFolder, until } from '../infra/embedded-postgres/state-folder.ts';

const root = join(import.meta.dirname, '../..');
const accounts = accountsIn(readFileSync('/etc/passwd', 'utf8'));
const asRoot = waysFor(0, accounts);
const namespace = asRoot.filter(({ kind }) => kind === 'namespace');
const [asUser] = asRoot.filter((way) => way.kind === 'user');
if (asUser === undefined) throw new Error('no user to run Postgres as');
const nobody = accounts.find(({ name }) => name === 'nobody')?.uid ?? 65_534;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

function newState() {
  const state = stateFolder();
  undo.push(state.remove);
  return state;
}

async function start(starting: Parameters<typeof startPostgres>[0]): Promise<EmbeddedPostgres> {
  const server = await startPostgres(starting);
  undo.push(server.stop);
  return server;
}

function open({ url }: EmbeddedPostgres, connections = 2): Database {
  const database = openDatabase(url, { name: 'test', connections });
  undo.push(database.close);
  return database;
}

async function survives(server: EmbeddedPostgres): Promise<unknown> {
  const { sql } = open(server);
  await sql`create table if not exists kept (id int)`;
  await sql`insert into kept values (1)`;
  return sql`select id from kept`;
}

/** As a clone in the home of root: nobody else can enter, neither the binaries nor the state. */
async function closedClone() {
  const state = newState();
  const native = join(state.root, 'native');
  const { root: packaged, links } = await packagedBinaries();
  cpSync(packaged, native, { recursive: true });
  chmodSync(state.root, 0o700);
  return { state, binaries: { root: native, links } };
}

describe('the embedded Postgres, by root in a folder that only root can enter', () => {
  it('runs in a user namespace, its files staying root’s', async () => {
    const { state, binaries } = await closedClone();
    const server = await start({ folder: state.folder, binaries, elsewhere: '/nowhere' });
    expect(await survives(server)).toEqual([{ id: 1 }]);
    expect(statSync(join(state.folder, 'data/PG_VERSION')).uid).toBe(process.getuid?.());
  });

  it('lives elsewhere where namespaces are not allowed, and says so', async () => {
    const { state, binaries } = await closedClone();
    const elsewhere = newState().root;
    const said: string[] = [];
    const ways = asRoot.filter(({ kind }) => kind === 'user');
    const starting = {
      folder: state.folder,
      binaries,
      elsewhere,
      ways,
      log: (line: string) => said.push(line),
    };
    const first = await start(starting);
    await survives(first);
    expect(said.join('\n')).toMatch(
      new RegExp(`Postgres lives in ${elsewhere}/postgres-[0-9a-f]+/state`),
    );
    await first.stop();
    expect(await survives(await start(starting))).toEqual([{ id: 1 }, { id: 1 }]);
  });

  it('is not led to run as root by a link in the place of its data', async () => {
    const { folder, root: elsewhere } = newState();
    mkdirSync(folder);
    symlinkSync('/etc', join(folder, 'data'));
    lchownSync(join(folder, 'data'), asUser.account.uid, asUser.account.gid);
    const me = { uid: 0, gid: 0 };
    const binaries = await packagedBinaries();
    const wish = { folder, elsewhere, binaries, ways: [asUser, ...namespace], me, log() {} };
    expect((await lodgedBefore(wish))?.way).toBe(asUser);
  });

  it('says what to do where it can run nowhere', async () => {
    const { state, binaries } = await closedClone();
    const elsewhere = newState().root;
    const refused = startPostgres({ folder: state.folder, binaries, elsewhere, ways: [] });
    const said = await refused.catch((cause: unknown) => sayError(cause, { debug: false }));
    expect(said).toMatch(/cannot be run here[\s\S]*set DATABASE_URL/);
  });
});

describe('the embedded Postgres of a package whose install script never ran', () => {
  it('finds its libraries by links of its own', async () => {
    const { state, binaries } = await closedClone();
    for (const { target } of binaries.links) rmSync(join(state.root, target), { force: true });
    const server = await start({ folder: state.folder, binaries, elsewhere: '/nowhere' });
    expect(await survives(server)).toEqual([{ id: 1 }]);
  });
});

describe('the embedded Postgres, not by root', () => {
  it('runs as whoever asks', async () => {
    const state = newState();
    const script = `
      import { startPostgres } from ${JSON.stringify(join(root, 'infra/embedded-postgres/start.ts'))};
      const server = await startPostgres({ folder: ${JSON.stringify(state.folder)}, elsewhere: '/nowhere' });
      console.log(process.getuid(), server.url);
      await server.stop();`;
    const args = [
      '--user',
      `--map-user=${nobody}`,
      `--map-group=${nobody}`,
      '--',
      process.execPath,
    ];
    const ran = promisify(execFile)('unshare', [...args, '--input-type=module', '-e', script]);
    expect((await ran).stdout).toMatch(new RegExp(`^${nobody} postgres://`));
  });

  it('changes from one user to another on the same folder', async () => {
    const state = newState();
    const first = await start({ folder: state.folder, ways: namespace });
    await survives(first);
    await first.stop();
    const second = await start({ folder: state.folder, ways: [asUser] });
    expect(await survives(second)).toEqual([{ id: 1 }, { id: 1 }]);
    await second.stop();
    expect(statSync(join(state.folder, 'data')).uid).not.toBe(process.getuid?.());
  });

  it('is not put off by a lock file whose number is a process of the same user by now', async () => {
    const state = newState();
    const first = await start({ folder: state.folder, ways: namespace });
    const lock = join(state.folder, 'data/postmaster.pid');
    const text = readFileSync(lock, 'utf8');
    await first.stop();
    writeFileSync(lock, text.replace(/^\d+/, String(process.pid)));
    expect(await survives(await start({ folder: state.folder, ways: namespace }))).toEqual([
      { id: 1 },
    ]);
  });
});

describe('a pool whose server goes away', () => {
  it('fails with a clear reason, and works again by itself when the server is back', async () => {
    const state = newState();
    const first = await start({ folder: state.folder, isDurable: false });
    const port = Number(new URL(first.url).port);
    const { sql } = open(first);
    await sql`create table kept (id int)`;
    const heard: string[] = [];
    await sql.listen('news', (said) => heard.push(said));

    await first.stop();
    const lost = await Promise.allSettled(Array.from({ length: 4 }, () => sql`select 1`));
    const kinds = lost.map((each) =>
      each.status === 'rejected' ? failureOf(each.reason).kind : 'ok',
    );
    expect(new Set(kinds)).toEqual(new Set(['no-server']));

    await start({ folder: state.folder, isDurable: false, pickPort: async () => port });
    const isBack = () =>
      sql`select 1`.then(
        () => true,
        () => false,
      );
    expect(await until(isBack, 5_000)).toBe(true);
    const isHeard = async () => (await sql.notify('news', 'back')) && heard.length > 0;
    expect(await until(isHeard, 5_000)).toBe(true);
  });

  it('has every row that was acknowledged before a SIGKILL of the server, and no transaction by half', async () => {
    const state = newState();
    const first = await start({ folder: state.folder });
    const { sql } = open(first, 8);
    await sql`create table pairs (id int, half int)`;
    const acknowledged: number[] = [];
    let isDone = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let id = writer; !isDone; id += 8) {
        const written = sql.begin(async (tx) => {
          await tx`insert into pairs values (${id}, 1)`;
          await tx`insert into pairs values (${id}, 2)`;
        });
        await written.then(
          () => acknowledged.push(id),
          () => {
            isDone = true;
          },
        );
      }
    });
    await until(async () => acknowledged.length > 200);
    process.kill((await pidIn(join(state.folder, 'data'))) ?? 0, 'SIGKILL');
    await Promise.all([first.ended, ...writers]);

    const again = open(await start({ folder: state.folder }));
    const rows = await again.sql<{ id: number; halves: number }[]>`
      select id, count(*)::int as halves from pairs group by id`;
    const kept = new Set(rows.map(({ id }) => id));
    expect(rows.filter(({ halves }) => halves !== 2)).toEqual([]);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });
});
