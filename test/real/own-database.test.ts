import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseInUse, findDatabase, keepPostgres } from '#infra/cli/database.ts';
import { eventually } from '#test/support/working.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function stateFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function answer(url: string) {
  const sql = postgres(url, { max: 1, connect_timeout: 1, onnotice: () => undefined });
  try {
    return (await sql`select 42 as it`)[0];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const silent = () => undefined;

describe('a database of our own, on the disk', () => {
  it('is found by other processes, comes back under its address when it dies, and ends with us', async () => {
    const folder = stateFolder();
    const named = { databaseUrl: undefined, stateFolder: folder };
    const said: string[] = [];
    const server = await keepPostgres(folder, (text) => said.push(text));
    endings.push(() => server.stop());
    expect(await answer(server.url)).toEqual({ it: 42 });
    expect((await databaseInUse(named, silent)).url).toBe(server.url);

    const [pid = ''] = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split(
      '\n',
    );
    process.kill(Number(pid), 'SIGKILL');
    await eventually(() =>
      expect(said).toContain('the embedded Postgres ended; it is started again'),
    );
    await eventually(async () => expect(await answer(server.url)).toEqual({ it: 42 }));

    await server.stop();
    expect(existsSync(join(folder, 'database-url'))).toBe(false);
    expect(await findDatabase(named)).toBeUndefined();

    const heard: string[] = [];
    const looking = await databaseInUse(named, (text) => heard.push(text));
    // Nobody else may begin to use what ends with a verb.
    expect(await findDatabase(named)).toBeUndefined();
    await looking.stop();
    expect(heard).toEqual([]);
  }, 30_000);
});
