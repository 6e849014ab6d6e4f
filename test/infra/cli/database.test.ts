import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseFor, databaseInUse } from '#infra/cli/database.ts';

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
});
