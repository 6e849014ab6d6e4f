import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '#infra/cli/main.ts';
import { addMigrate } from '#infra/cli/migrate.ts';
import { painter, sayError } from '#infra/cli/output.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { freshDatabase } from '#test/support/postgres.ts';

async function gatehouse(url: string, ...argv: readonly string[]) {
  const said = { out: '', hasFailed: false, isStopped: false };
  const terminal = {
    print: (text: string) => {
      said.out += text;
    },
    complain: () => undefined,
    read: async () => '',
    paint: painter(false),
  };
  const fail = () => {
    said.hasFailed = true;
  };
  const program = new Command('gatehouse').exitOverride();
  const stop = async () => {
    said.isStopped = true;
  };
  addMigrate(program, { terminal, fail, environment: readEnvironment({}) }, async () => ({
    url,
    stop,
  }));
  await program.parseAsync(['migrate', ...argv], { from: 'user' }).catch((cause: unknown) => {
    said.hasFailed = true;
    said.out += sayError(cause, { debug: false });
  });
  return said;
}

const names = (await readMigrations()).map(({ name }) => name);

describe('gatehouse migrate', () => {
  it('says what is missing and fails, then adds it, then has nothing to add', async () => {
    const { url, drop } = await freshDatabase({ isMigrated: false });
    const missing = await gatehouse(url, '--check');
    expect(missing).toMatchObject({ hasFailed: true, isStopped: true });
    for (const name of names) expect(missing.out).toContain(`${name}: missing`);

    const added = await gatehouse(url);
    expect(added.hasFailed).toBe(false);
    for (const name of names) expect(added.out).toMatch(new RegExp(`${name}: applied in \\d+ ms`));

    const checked = await gatehouse(url, '--check', '-o', 'json');
    expect(JSON.parse(checked.out)).toMatchObject({ applied: [], missing: [], ahead: [] });
    expect(checked.hasFailed).toBe(false);
    await drop();
  });

  it('tells scripts in one document what it did', async () => {
    const { url, drop } = await freshDatabase({ isMigrated: false });
    const { out } = await gatehouse(url, '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ applied: names, missing: [] });
    expect(out).not.toContain(new URL(url).password);
    await drop();
  });

  it.each([['--check'], []])('refuses the schema of a newer version (%s)', async (...argv) => {
    const { url, drop } = await freshDatabase();
    const { sql, close } = openDatabase(url, { name: 'newer' });
    const narrowing = { name: '9999_newer', hash: 'n', statements: ['drop table if exists none'] };
    await migrate(sql, { migrations: [...(await readMigrations()), narrowing] });
    await close();

    const refused = await gatehouse(url, ...argv);
    expect(refused).toMatchObject({ hasFailed: true, isStopped: true });
    expect(refused.out).toContain('the schema is newer than this Gatehouse: it has 9999_newer');
    expect(refused.out).toContain('to mend it: run the newer Gatehouse');
    await drop();
  });

  it('says that nobody answers, where, and not the password', async () => {
    const refused = await gatehouse('postgres://u:s3cret@127.0.0.1:1/d', '--check');
    expect(refused.out).toMatch(/does not answer[\s\S]*where: 127\.0\.0\.1:1\/d as u/);
    expect(refused.out).not.toContain('s3cret');
    expect(refused).toMatchObject({ hasFailed: true, isStopped: true });
  });
});

/** As a user runs it, where DATABASE_URL is not set. */
async function withoutDatabase(variables: Readonly<Record<string, string>>, ...argv: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said = { out: '', err: '' };
  const terminal = {
    print: (text: string) => {
      said.out += text;
    },
    complain: (text: string) => {
      said.err += text;
    },
    read: async () => '',
    paint: painter(false),
  };
  const environment = readEnvironment({ GATEHOUSE_STATE: join(folder, 'state'), ...variables });
  const exit = await runCli(['migrate', ...argv], { terminal, environment });
  return { exit, ...said, left: readdirSync(folder) };
}

describe('gatehouse migrate without DATABASE_URL', () => {
  it.each([[[]], [['--check']]])(
    'is refused in a pod, which has none of its own (%s)',
    async (argv) => {
      const refused = await withoutDatabase({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, ...argv);
      expect(refused).toMatchObject({ exit: 1, out: '', left: [] });
      expect(refused.err).toContain('there is no database for a pod to share');
      expect(refused.err).toContain('set DATABASE_URL');
    },
  );

  it('makes none to check it, and says that there is none', async () => {
    const refused = await withoutDatabase({}, '--check');
    expect(refused).toMatchObject({ exit: 1, out: '', left: [] });
    expect(refused.err).toContain('there is no database to look into');
  });
});
