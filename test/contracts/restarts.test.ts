import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { restartsInMemory } from '#infra/emulator/testing/restarts-in-memory.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { restartsOn } from '#shared/adapters/database/restarts.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { restartsContract } from './restarts.ts';

let shared: Sql;
let cases = 0;
beforeAll(async () => {
  shared = postgres((await freshDatabase()).url, { max: 4, onnotice: () => undefined });
}, 30_000);
afterAll(() => shared.end());

restartsContract('restarts on Postgres', async () => {
  cases += 1;
  const cluster = `case-${cases}`;
  return { restarts: restartsOn(shared, { cluster }), pass: (ms) => setBack(cluster, ms) };
});

/** Time passes where all that is noted of it was earlier. */
async function setBack(cluster: string, ms: number): Promise<void> {
  const by = shared`${ms} * interval '1 ms'`;
  await shared`
    update restart_campaigns set changed_at = changed_at - ${by},
      turn_at = case when turn_at > 'epoch' then turn_at - ${by} else turn_at end
    where cluster = ${cluster}`;
  await shared`update restart_paces set next_at = next_at - ${by} where cluster = ${cluster}`;
  await shared`update trust_bundles_seen set since = since - ${by} where cluster = ${cluster}`;
}

restartsContract('restarts in memory', async () => {
  let now = 1_000_000;
  const pass = async (ms: number) => {
    now += ms;
  };
  return { restarts: restartsInMemory({ now: () => now }), pass };
});
