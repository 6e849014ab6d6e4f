import { setTimeout as after } from 'node:timers/promises';
import { as } from './database.ts';
import type { World } from './world.ts';

/** The mirror beside the cluster, and what is left of the queue. */
export type Rows = {
  readonly living: number;
  /** Living objects without a row in their version. */
  readonly missing: number;
  /** Rows of objects that do not live. */
  readonly extra: number;
  readonly waiting: number;
  readonly buried: number;
};

type Row = { readonly uid: string; readonly resource_version: string };

/** A set that came while its kind was listed anew is back within seconds, and is waited for. */
export async function rowsAtRest(world: Pick<World, 'checker' | 'database'>): Promise<Rows> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const rows = await compareRows(world);
    if (rows.missing + rows.extra + rows.waiting === 0 || performance.now() > giveUpAt) return rows;
    await after(100);
  }
}

const patienceMs = 15_000;

async function compareRows({
  checker,
  database,
}: Pick<World, 'checker' | 'database'>): Promise<Rows> {
  const watched = new Set([...checker.cases.values()].map(({ uid }) => uid));
  const living = new Map(
    [...checker.objects].filter(([uid, { endedAt }]) => watched.has(uid) && endedAt === undefined),
  );
  const [rows, left] = await as(database.url, async (sql) => [
    await sql<Row[]>`
      select uid, resource_version from objects
      where deleted_at is null and resource in ('pods', 'configmaps', 'widgets')`,
    await sql<{ waiting: number; buried: number }[]>`
      select (select count(*)::int from queue_messages) as waiting,
        (select count(*)::int from queue_dead) as buried`,
  ]);
  const mirrored = new Map(rows.map((row) => [row.uid, Number(row.resource_version)]));
  return {
    living: living.size,
    missing: [...living].filter(([uid, { version }]) => mirrored.get(uid) !== version).length,
    extra: rows.filter(({ uid }) => !living.has(uid)).length,
    waiting: left[0]?.waiting ?? 0,
    buried: left[0]?.buried ?? 0,
  };
}
