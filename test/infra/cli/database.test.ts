import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  databaseFor,
  databaseInUse,
  findRunning,
  keepPostgres,
  noAddress,
  type Server,
} from '#infra/cli/database.ts';
import { forgetState, openStateFolder } from '#infra/cli/dev/state-folder.ts';
import { databaseLookedInto } from '#infra/cli/state.ts';
import { claimFolder } from '#infra/embedded-postgres/start.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function stateFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const silent = () => undefined;

describe('a database of our own', () => {
  it('is not made where somebody names one', async () => {
    const folder = stateFolder();
    const named = { databaseUrl: 'postgres://u@elsewhere/x', stateFolder: folder };
    expect((await databaseFor(named, silent)).url).toBe('postgres://u@elsewhere/x');
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  });

  it('is not made by who would only look into it', async () => {
    const named = { databaseUrl: undefined, stateFolder: stateFolder() };
    await expect(databaseInUse(named, silent)).rejects.toThrow('there is no database to look into');
  });

  it('is waited for where another verb has it, and shared where another process says its address', async () => {
    const folder = await takenFolder();
    const { url } = await freshDatabase();
    const said: string[] = [];
    const server = await databaseFor({ databaseUrl: undefined, stateFolder: folder }, (text) => {
      said.push(text);
      writeFileSync(join(folder, 'database-url'), `${url}\n`);
    });
    expect([server.url, said]).toEqual([url, [expect.stringContaining(`process ${process.pid}`)]]);
  });

  it.each<[string, (folder: string, say: (text: string) => void) => Promise<unknown>]>([
    ['who keeps it', (folder, say) => keepPostgres(folder, silent, { say })],
    ['who forgets it', (folder, say) => forgetState(folder, { say })],
  ])('is waited for by %s where a verb has it, whom they name', async (_, take) => {
    const folder = stateFolder();
    const release = await taken(folder);
    const said: string[] = [];
    const taking = take(folder, (text) => {
      said.push(text);
      void release();
    });
    const server = await taking;
    if (isServer(server)) endings.push(server.stop);
    expect(said).toEqual([expect.stringContaining(`in use by process ${process.pid}`)]);
  });

  it.each<[string, (folder: string, say: () => void) => Promise<unknown>]>([
    ['kept', (folder, say) => keepPostgres(folder, silent, { say })],
    ['forgotten', (folder, say) => forgetState(folder, { say })],
  ])('is not waited for, to be %s, where another process keeps it', async (_, take) => {
    const folder = await takenFolder();
    writeFileSync(join(folder, 'database-url'), `${(await freshDatabase()).url}\n`);
    const taking = take(folder, () => expect.fail('nothing is waited for'));
    await expect(taking).rejects.toThrow('another Gatehouse uses this state folder');
  });

  it('is waited for no longer than until it is told to stop', async () => {
    const stopping = new AbortController();
    const say = () => stopping.abort(new Error('told to stop'));
    const { signal: stopped } = stopping;
    const keeping = keepPostgres(await takenFolder(), silent, { say, stopped });
    await expect(keeping).rejects.toThrow('told to stop');
  });

  it('is waited for no longer than that', async () => {
    const named = { databaseUrl: undefined, stateFolder: await takenFolder() };
    const waiting = databaseFor(named, silent, { patienceMs: 10 });
    await expect(waiting).rejects.toThrow('another Gatehouse uses this state folder');
  });

  it.each([
    ['about to be', /it is started again/],
    ['being', /starting PostgreSQL/],
  ])('ends with who keeps it while it is %s started again', async (_, moment) => {
    const folder = stateFolder();
    const ending = Promise.withResolvers<void>();
    let isKilled = false;
    const server: Server = await keepPostgres(folder, (text) => {
      if (isKilled && moment.test(text)) ending.resolve(server.stop());
    });
    const pid = await pidOf(server.url);
    isKilled = true;
    process.kill(pid, 'SIGKILL');
    await ending.promise;
    await expect(pidOf(server.url)).rejects.toThrow('ECONNREFUSED');
    // Nobody has it any more, once those whose server was killed have seen that it is gone.
    await until(() => isFree(join(folder, 'postgres')), 10_000);
  });

  it('ends where its data were deleted under it, and says so, and does not begin anew', async () => {
    const folder = stateFolder();
    const { promise, resolve: onLost } = Promise.withResolvers<void>();
    const server = await keepPostgres(folder, silent, { say: silent, onLost });
    const pid = await pidOf(server.url);
    rmSync(folder, { recursive: true });
    process.kill(pid, 'SIGKILL');
    await promise;
    await expect(server.stop()).rejects.toMatchObject({
      message: 'the data of the embedded Postgres were deleted while it ran',
      where: join(folder, 'postgres/data'),
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('does not outlive who cannot say its address', async () => {
    const folder = stateFolder();
    mkdirSync(join(folder, 'database-url'));
    const keeping = keepPostgres(folder, silent);
    await expect(keeping).rejects.toThrow('EISDIR');
    expect(await isFree(join(folder, 'postgres'))).toBe(true);
  });

  it('says so where its folder is a file, or somebody else’s', async () => {
    const file = join(stateFolder(), 'file');
    writeFileSync(file, '');
    await expect(findRunning(file)).rejects.toThrow('the state folder is a file, or in one');
    const named = { databaseUrl: undefined, stateFolder: file };
    await expect(databaseLookedInto(named, undefined, silent)).rejects.toThrow('is a file');

    const folder = stateFolder();
    mkdirSync(join(folder, 'database-url'));
    await expect(findRunning(folder)).rejects.toThrow('the state folder cannot be looked into');
  });

  it.each(['EACCES', 'EPERM'])('says so where its folder is another user’s: %s', (code) => {
    const refused = Object.assign(new Error(code), { code });
    expect(() => noAddress('.gatehouse', refused)).toThrow('the state folder is another user’s');
  });

  it('says so where its folder cannot be made', async () => {
    const named = { databaseUrl: undefined, stateFolder: '/proc/x' };
    const cannot = /the state folder cannot be (made|written)/;
    await expect(databaseFor(named, silent)).rejects.toThrow(cannot);
    await expect(openStateFolder('/proc/x')).rejects.toThrow(cannot);
  });
});

async function isFree(folder: string): Promise<boolean> {
  const release = await claimFolder(folder).catch(() => undefined);
  await release?.();
  return release !== undefined;
}

async function pidOf(url: string): Promise<number> {
  const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
  try {
    const [row] = await sql<{ lock: string }[]>`select pg_read_file('postmaster.pid') as lock`;
    return Number.parseInt(row?.lock ?? '', 10);
  } finally {
    await close();
  }
}

/** Somebody has it, and says no address. */
async function takenFolder() {
  const folder = stateFolder();
  endings.push(await taken(folder));
  return folder;
}

async function taken(folder: string): Promise<() => Promise<void>> {
  mkdirSync(join(folder, 'postgres'));
  return claimFolder(join(folder, 'postgres'));
}

function isServer(opened: unknown): opened is Server {
  return typeof opened === 'object' && opened !== null && 'url' in opened;
}
