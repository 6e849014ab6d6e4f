import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sayError } from '#infra/cli/output.ts';
import { linkLibraries, packagedBinaries } from '#infra/embedded-postgres/binaries.ts';
import { hasSign, leftOver } from '#infra/embedded-postgres/left-over.ts';
import { type EmbeddedPostgres, startPostgres } from '#infra/embedded-postgres/start.ts';
import { accountsIn, run, waysFor } from '#infra/embedded-postgres/way.ts';
import { stateFolder, until } from './state-folder.ts';

const state = stateFolder();
const data = join(state.folder, 'data');
let server: EmbeddedPostgres;

async function start(more: Partial<Parameters<typeof startPostgres>[0]> = {}) {
  return startPostgres({ folder: state.folder, elsewhere: state.root, isDurable: false, ...more });
}

async function ask(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

/** Given to a process of its own, which is then killed. */
const holding = `
  import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, '../../../infra/embedded-postgres/start.ts'))};
  await startPostgres({ folder: process.argv[1], isDurable: false });
  console.log('up');`;

describe('the embedded Postgres', () => {
  beforeAll(async () => {
    mkdirSync(join(state.folder, 'making-by-somebody-who-died'), { recursive: true });
    server = await start();
    await ask(server.url, 'create table kept (id int); insert into kept values (7)');
  });

  afterAll(async () => {
    await server.stop();
    state.remove();
  });

  it('is version 18, on this machine alone, and not only for show', async () => {
    const [row] = await ask(
      server.url,
      `select current_setting('listen_addresses') as at, current_setting('fsync') as fsync,
         current_setting('server_version') as version`,
    );
    expect(row).toEqual({ at: '127.0.0.1', fsync: 'off', version: expect.stringMatching(/^18\./) });
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    const wrong = Object.assign(new URL(server.url), { password: 'wrong' }).href;
    await expect(ask(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(state.folder, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(state.folder).mode & 0o777).toBe(0o700);
  });

  it('makes a half-made folder anew', () => {
    expect(() => statSync(join(state.folder, 'making-by-somebody-who-died'))).toThrow('ENOENT');
  });

  it('refuses a folder that somebody alive uses, and says who', async () => {
    const refused = await start().catch((cause: unknown) => sayError(cause, { debug: false }));
    expect(refused).toContain('another Gatehouse uses this state folder');
    expect(refused).toContain(`process ${process.pid}`);
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('takes another port where somebody was faster, and has what it had before a stop', async () => {
    const faster = createServer().listen(0, '127.0.0.1');
    await once(faster, 'listening');
    const taken = Number(Object(faster.address()).port);
    const ports = [taken, taken, await freePort()];
    const said: string[] = [];
    const log = (text: string) => said.push(text);
    await server.stop();
    server = await start({ log, pickPort: async () => ports.shift() ?? freePort() });
    faster.close();
    // Nor is it tried as somebody else for that.
    expect(said.join('\n')).not.toContain('other ways are tried');
    expect(Number(new URL(server.url).port)).not.toBe(taken);
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('ends with its parent, however that one dies, and starts again at once', async () => {
    await server.stop();
    const args = ['--input-type=module', '-e', holding, state.folder];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(parent.stdout, 'data');
    const orphan = await leftOver(data);
    parent.kill('SIGKILL');
    await once(parent, 'exit');

    expect(orphan).toBeGreaterThan(1);
    expect(await until(async () => (await leftOver(data)) === undefined)).toBe(true);
    server = await start();
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('stops a server that was left over on its folder', async () => {
    await server.stop();
    const orphan = await startUnwatched();
    expect(orphan).toBeGreaterThan(1);
    const said: string[] = [];
    server = await start({ log: (line) => said.push(line) });

    expect(said).toContain('a left-over Postgres was stopped');
    expect(await leftOver(data)).not.toBe(orphan);
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('waits for one that is left over out of sight, as in another container, and leaves its lock file until then', async () => {
    expect(await hasSign(data)).toBe(true);
    await server.stop();
    expect(await hasSign(data)).toBe(false);
    const lock = join(data, 'postmaster.pid');
    writeFileSync(lock, '4194300\n');
    const holding = 'exec 4<>"$1"; echo held; exec sleep 1';
    const args = ['-c', holding, 'sh', join(state.folder, 'running')];
    const unseen = spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(unseen, 'exit').then(() => existsSync(lock));
    await once(unseen.stdout, 'data');
    server = await start();
    expect(unseen.exitCode).toBe(0);
    expect(await ended).toBe(true);
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('is not put off by a lock file whose number is another process by now', async () => {
    const lock = join(data, 'postmaster.pid');
    const text = readFileSync(lock, 'utf8');
    await server.stop();
    writeFileSync(lock, text.replace(/^\d+/, String(process.ppid)));
    server = await start();
    expect(await ask(server.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });
});

describe('a start that is not the first', () => {
  const again = stateFolder();
  const starting = { folder: again.folder, elsewhere: again.root, isDurable: false };
  const asked = join(again.root, 'asked');
  const wasAsked = () => existsSync(asked);
  const launched: string[] = [];

  beforeAll(async () => {
    const first = await startPostgres({ ...starting, onLaunched: () => launched.push('first') });
    await ask(first.url, 'create table kept (id int); insert into kept values (7)');
    await first.stop();
    // Whoever runs it leaves a note there.
    chmodSync(again.root, 0o777);
  });

  afterAll(again.remove);

  /** Notes whether somebody has tried how to run it. */
  async function watched(body: string) {
    const { root, links } = await packagedBinaries();
    const fake = mkdtempSync(join(again.root, 'binaries-'));
    chmodSync(fake, 0o755);
    mkdirSync(join(fake, 'bin'));
    for (const folder of ['lib', 'share']) symlinkSync(join(root, folder), join(fake, folder));
    const real = join(root, 'bin/postgres');
    const tried = `if [ "$1" = --version ]; then touch ${asked}; exec ${real} --version; fi`;
    const text = `#!/bin/sh\n${tried}\n${body}\nexec ${real} "$@"\n`;
    writeFileSync(join(fake, 'bin/postgres'), text, { mode: 0o755 });
    return { root: fake, links };
  }

  async function kept(binaries: Awaited<ReturnType<typeof watched>>): Promise<unknown> {
    const onLaunched = () => launched.push('again');
    const started = await startPostgres({ ...starting, binaries, onLaunched });
    const rows = await ask(started.url, 'select id from kept');
    await started.stop();
    return rows;
  }

  it('runs it as the one before did, and tries nothing', async () => {
    expect(await kept(await watched(''))).toEqual([{ id: 7 }]);
    expect(wasAsked()).toBe(false);
    // Of the first one, the process that made its data as well.
    expect(launched).toEqual(['first', 'first', 'again']);
  });

  it('tries all ways where that one does not hold any more', async () => {
    expect(await kept(await watched(`test -e ${asked} || exit 1`))).toEqual([{ id: 7 }]);
    expect(wasAsked()).toBe(true);
  });
});

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = Object(listening.address());
  listening.close();
  return port;
}

/** As after a SIGKILL of both the parent and the shell that watches for it. */
async function startUnwatched(): Promise<number | undefined> {
  const binaries = await packagedBinaries();
  const libraries = await linkLibraries(binaries, join(state.root, 'links'));
  const [way] = waysFor(process.getuid?.() ?? 0, accountsIn(readFileSync('/etc/passwd', 'utf8')));
  if (way === undefined) throw new Error('no user to run Postgres as');
  const args = ['-D', data, '-c', 'fsync=off', '-c', `port=${await freePort()}`];
  args.push('-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=');
  const program = run(way, join(binaries.root, 'bin/postgres'), args);
  const env = { LD_LIBRARY_PATH: libraries, LC_ALL: 'C' };
  const child = spawn(program.command, program.args, { ...program.as, env, stdio: 'ignore' });
  child.unref();
  await until(async () =>
    (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).includes('ready'),
  );
  return leftOver(data);
}

describe('a folder of another version', () => {
  it('is refused with what can be done about it', async () => {
    const old = stateFolder();
    mkdirSync(join(old.folder, 'data'), { recursive: true });
    writeFileSync(join(old.folder, 'data/PG_VERSION'), '17\n');
    const refused = startPostgres({ folder: old.folder, elsewhere: old.root }).catch(
      (cause: unknown) => sayError(cause, { debug: false }),
    );
    expect(await refused).toMatch(/is version 18, its data are of version 17[\s\S]*pg_dump/);
    old.remove();
  });
});

const isRoot = process.getuid?.() === 0;

/** Named, as initdb asks for, and nobody that root would take by itself. */
function somebody() {
  const accounts = accountsIn(readFileSync('/etc/passwd', 'utf8'));
  const found = accounts.find(({ name, uid }) => uid > 0 && !/^(postgres|nobody)$/.test(name));
  if (found === undefined) throw new Error('no further user in /etc/passwd');
  return found;
}

/** Who is not root is nobody else; what was not tried says so. */
function asRoot(name: string, test: () => Promise<void>): void {
  it(isRoot ? name : `${name} (not tried: only root can)`, isRoot ? test : () => undefined);
}

describe('data of another user, by root', () => {
  const keeping = `
    import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, '../../../infra/embedded-postgres/start.ts'))};
    import postgres from 'postgres';
    const server = await startPostgres({ folder: process.argv[1], isDurable: false });
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    await sql.unsafe('create table if not exists kept (id int); insert into kept values (7)');
    console.log((await sql.unsafe('select id from kept')).length);
    await sql.end();
    await server.stop();`;

  async function keptBy({ uid, gid }: { uid: number; gid: number }, folder: string) {
    const args = ['--input-type=module', '-e', keeping, folder];
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const cwd = import.meta.dirname;
    return Number(await textOf(spawn(process.execPath, args, { uid, gid, cwd, stdio }).stdout));
  }

  asRoot('are looked into as theirs, and stay it', async () => {
    const state = stateFolder();
    const user = somebody();
    const home = join(state.root, 'home');
    const folder = join(home, 'postgres');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, user.uid, user.gid);
    expect(await keptBy(user, folder)).toBe(1);

    const looking = await start({ folder, elsewhere: join(state.root, 'elsewhere') });
    expect(await ask(looking.url, 'select id from kept')).toEqual([{ id: 7 }]);
    await looking.stop();
    expect(existsSync(join(state.root, 'elsewhere'))).toBe(false);
    expect(await keptBy(user, folder)).toBe(2);
    state.remove();
  });

  asRoot(
    'are neither left for an empty database elsewhere, nor taken, where nobody can stand in them',
    async () => {
      const state = stateFolder();
      mkdirSync(join(state.folder, 'data'), { recursive: true });
      for (const path of ['.', 'data']) chownSync(join(state.folder, path), 54_321, 54_321);
      chmodSync(state.root, 0o700);
      const elsewhere = join(state.root, 'elsewhere');
      const refused = start({ folder: state.folder, elsewhere, ways: [] });
      await expect(refused).rejects.toThrow('the embedded Postgres cannot be run here');
      expect(existsSync(elsewhere)).toBe(false);
      expect(statSync(state.folder).uid).toBe(54_321);
      state.remove();
    },
  );

  asRoot(
    'are gone on with elsewhere, where they once had to be made, also when others could enter here',
    async () => {
      const state = stateFolder();
      const elsewhere = stateFolder();
      const account = somebody();
      const more = {
        folder: state.folder,
        elsewhere: elsewhere.root,
        ways: [{ kind: 'user', account } as const],
      };
      chmodSync(state.root, 0o700);
      const first = await start(more);
      await ask(first.url, 'create table kept (id int); insert into kept values (7)');
      await first.stop();
      chmodSync(state.root, 0o755);
      const again = await start(more);
      expect(await ask(again.url, 'select id from kept')).toEqual([{ id: 7 }]);
      await again.stop();
      for (const { remove } of [state, elsewhere]) remove();
    },
  );
});

describe('a folder of another user', () => {
  const refusing = `
    import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, '../../../infra/embedded-postgres/start.ts'))};
    await startPostgres({ folder: process.argv[1] }).catch(({ message, where, mend }) =>
      console.log(JSON.stringify({ message, where, mend })));`;

  it('is refused with how to get it back', async () => {
    const state = stateFolder();
    mkdirSync(state.folder, { mode: 0o500 });
    const args = ['--input-type=module', '-e', refusing, state.folder];
    const child = spawn(process.execPath, args, {
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(JSON.parse(await textOf(child.stdout))).toMatchObject({
      message: 'the state folder is another user’s',
      where: state.folder,
      mend: expect.arrayContaining([expect.stringContaining('sudo chown -R "$(id -un)"')]),
    });
    state.remove();
  });

  it('is taken by root alone, where its user cannot enter it, who says from whom', async () => {
    const state = stateFolder();
    mkdirSync(join(state.folder, 'data'), { recursive: true });
    writeFileSync(join(state.folder, 'data/PG_VERSION'), '17\n');
    if (isRoot) chownSync(join(state.folder, 'data'), 54_321, 54_321);
    chmodSync(state.root, 0o700);
    const said: string[] = [];
    const log = (line: string) => said.push(line);
    await startPostgres({ folder: state.folder, elsewhere: state.root, log }).catch(
      () => undefined,
    );
    const told = said.filter((line) => line.includes('changes hands, from the user 54321'));
    expect(told).toHaveLength(isRoot ? 1 : 0);
    state.remove();
  });
});
