import type { Sql } from './connection.ts';

/**
 * From where on a look reads a function's groups. Below are only dead entries of the index, which each look would walk
 * past until somebody cleans up, and what a transaction that sent more than a second ago has yet to commit. So a floor
 * is good for a second: then somebody looks from the beginning.
 */
export type Floors = {
  /** In seconds since 1970; 0 where a look begins at the beginning. */
  of(functions: readonly string[]): readonly number[];
  /** Raises them to where the first of each stands. How long until one may be claimed; `undefined`: there is none. */
  untilVisibleMs(functions: readonly string[]): Promise<number | undefined>;
};

export const floorsLastMs = 1_000;

type Floor = { readonly seconds: number; readonly untilMs: number };

export function openFloors(sql: Sql, now: () => number = () => performance.now()): Floors {
  const known = new Map<string, Floor>();
  const good = (name: string): Floor | undefined => {
    const floor = known.get(name);
    return floor !== undefined && now() < floor.untilMs ? floor : undefined;
  };
  const of: Floors['of'] = (functions) => functions.map((name) => good(name)?.seconds ?? 0);
  return {
    of,
    async untilVisibleMs(functions) {
      const wholeUntilMs = now() + floorsLastMs;
      // Who reads from a floor on learns nothing of what is below.
      const untilMs = new Map(functions.map((name) => [name, good(name)?.untilMs]));
      const firsts = await readFirsts(sql, functions, of(functions));
      for (const { function: name, floor } of firsts) {
        known.set(name, { seconds: floor, untilMs: untilMs.get(name) ?? wholeUntilMs });
      }
      const waits = firsts.flatMap(({ ms }) => (ms === null ? [] : [ms]));
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
  };
}

type First = { readonly function: string; readonly ms: number | null; readonly floor: number };

function readFirsts(sql: Sql, functions: readonly string[], floors: readonly number[]) {
  return sql<First[]>`
    select wanted.function,
      (extract(epoch from first.visible_at - clock_timestamp()) * 1000)::float8 as ms,
      extract(epoch from least(first.visible_at, now())
        - ${floorsLastMs} * interval '1 millisecond')::float8 as floor
    from unnest(${functions}::text[], ${floors}::float8[]) as wanted (function, floor)
    left join lateral (
      select visible_at from queue_groups
      where function = wanted.function and visible_at >= to_timestamp(wanted.floor)
      order by visible_at
      limit 1
    ) as first on true`;
}
