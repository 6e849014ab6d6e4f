import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planChanges } from '#events/forwarder/plan.ts';
import { rowFrom } from '#shared/adapters/database/columns.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { rowIn } from '#shared/domain/mirrored.ts';
import { rowOf } from '#test/contracts/store/stage.ts';
import { grownOld } from '#test/support/grown-old.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const body = JSON.stringify({ ...rowOf('a').object, spec: { text: 'x'.repeat(15_000) } });
/** Bytes of one call: it left behind 500 to 18,000. */
const little = 200;

describe('what is read and written is gone when it is done with, before the whole heap is looked through', () => {
  let sql: Sql;

  beforeAll(async () => {
    sql = postgres((await freshDatabase()).url, { max: 2, onnotice: () => undefined });
  }, 30_000);
  afterAll(() => sql.end({ timeout: 0 }));

  it.each<[string, () => Promise<unknown>]>([
    ['a statement and its answer', () => sql`select ${JSON.parse(JSON.stringify(body))}::text`],
    [
      'a transaction',
      () => sql.begin((tx) => tx`select ${JSON.parse(JSON.stringify(body))}::text`),
    ],
  ])('%s', async (_, call) => {
    expect(await grownOld(600, call)).toBeLessThan(little);
  });

  it('a row, in whatever state, and what happened to it', async () => {
    const stored = { ...rowOf('a'), resource_version: '1', is_deleted: false, is_inherited: false };
    const place = { epoch: 1, generation: 1, keysOf: () => [] };
    const grown = await grownOld(1_000, () => {
      const known = rowFrom({ ...stored, body: JSON.parse(JSON.stringify(body)) });
      const { object } = rowOf('a', { resourceVersion: '2' });
      const { happened } = planChanges([{ kind: 'present', object }], [known], place);
      return [rowIn(known, { isDeleted: true }), happened];
    });
    expect(grown).toBeLessThan(little);
  });
});
