import { setTimeout as wait } from 'node:timers/promises';
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
  return { restarts: restartsOn(shared, { cluster: `case-${cases}` }), pass: (ms) => wait(ms + 5) };
});

restartsContract('restarts in memory', async () => {
  let now = 1_000_000;
  const pass = async (ms: number) => {
    now += ms;
  };
  return { restarts: restartsInMemory({ now: () => now }), pass };
});
