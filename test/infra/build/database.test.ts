import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { database } from '#infra/build/database.ts';
import { common, root } from '#infra/build/options.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const outfile = join(tmpdir(), `gatehouse-database-${process.pid}.mjs`);
afterAll(() => rm(outfile, { force: true }));

/** A connection lost in a transaction, which the library as it is does not survive. */
const program = `
  import { openDatabase } from '#shared/adapters/database/open.ts';
  import { migrate } from '#shared/adapters/database/migrate.ts';
  import { readMigrations } from '#infra/migrations/read.ts';
  const { sql, close } = openDatabase(process.argv[2], { name: 'bundle' });
  await migrate(sql, { migrations: await readMigrations() });
  const lost = sql.begin(async (tx) => {
    await tx\`select 1\`;
    await tx\`select pg_terminate_backend(pg_backend_pid())\`;
  });
  await lost.catch(() => undefined);
  const names = await sql\`select name from gatehouse_migrations order by name\`;
  console.log(names.map(({ name }) => name).join());
  await close();`;

describe('a bundle', () => {
  it('has the migrations inside, and the library as it is mended', async () => {
    const { minify, sourcemap, ...rest } = common;
    const stdin = { contents: program, resolveDir: root };
    const plugins = [database()];
    const result = await build({ ...rest, stdin, outfile, plugins, metafile: true });
    expect(Object.keys(result.metafile.inputs)).not.toContain('shared/adapters/database/mended.ts');

    const { url, drop } = await freshDatabase({ isMigrated: false });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, url]);
    expect(stdout.trim()).toBe((await readMigrations()).map(({ name }) => name).join());
    await drop();
  });
});
