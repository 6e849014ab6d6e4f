import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { clusterLookedInto, functionsLookedInto } from '#infra/cli/state.ts';
import { freshDatabase } from '#test/support/postgres.ts';

/** The state folder of a dev that was started so; `running`: where somebody's database is now. */
function stateOf(started: { readonly database: string }, running?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const functions = join(folder, 'functions');
  mkdirSync(functions);
  const places = { ...started, clusterName: 'fleet-7', functions };
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify(places));
  if (running !== undefined) writeFileSync(join(folder, 'database-url'), `${running}\n`);
  return { folder, functions };
}

const environment = { databaseUrl: undefined, stateFolder: '/nowhere' };
const { url } = await freshDatabase();

it.each([
  ['runs', url, url],
  ['has ended', url, undefined],
])(
  'the cluster and the functions of a dev that %s are those it was started with',
  async (_, database, running) => {
    const { folder, functions } = stateOf({ database }, running);
    expect(await clusterLookedInto(environment, folder)).toBe('fleet-7');
    expect(await functionsLookedInto(environment, folder)).toBe(functions);
    const named = { ...environment, stateFolder: folder };
    expect(await clusterLookedInto(named, undefined)).toBe('fleet-7');
  },
);

it('nobody’s are told where a serve runs in the folder of a dev that has ended', async () => {
  const { folder } = stateOf({ database: 'postgres://a@127.0.0.1:1/a' }, url);
  expect(await clusterLookedInto(environment, folder)).toBeUndefined();
  expect(await functionsLookedInto(environment, folder)).toBeUndefined();
});

it('nobody’s are told of a database that is named, and of a folder without a dev', async () => {
  const { folder } = stateOf({ database: url });
  const named = { databaseUrl: url, stateFolder: folder };
  expect(await clusterLookedInto(named, undefined)).toBeUndefined();
  expect(await clusterLookedInto(environment, undefined)).toBeUndefined();
});
