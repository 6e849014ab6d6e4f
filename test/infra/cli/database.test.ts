import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseFor, databaseInUse } from '#infra/cli/database.ts';
import { openStateFolder } from '#infra/cli/dev/state-folder.ts';
import { claim } from '#infra/embedded-postgres/claim.ts';
import { freshDatabase } from '#test/support/postgres.ts';

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

  it('is waited for no longer than that', async () => {
    const named = { databaseUrl: undefined, stateFolder: await takenFolder() };
    const waiting = databaseFor(named, silent, { patienceMs: 10 });
    await expect(waiting).rejects.toThrow('another Gatehouse uses this state folder');
  });

  it('says so where its folder cannot be made', async () => {
    const named = { databaseUrl: undefined, stateFolder: '/proc/x' };
    const cannot = /the state folder cannot be (made|written)/;
    await expect(databaseFor(named, silent)).rejects.toThrow(cannot);
    await expect(openStateFolder('/proc/x')).rejects.toThrow(cannot);
  });
});

/** Somebody has it, and says no address. */
async function takenFolder() {
  const folder = stateFolder();
  mkdirSync(join(folder, 'postgres'));
  const claimed = await claim(join(folder, 'postgres'));
  if (claimed.kind === 'ours') endings.push(claimed.release);
  return folder;
}
