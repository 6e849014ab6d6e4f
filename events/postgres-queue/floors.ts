import type { Sql } from './connection.ts';
import { pullerOn } from './pull-back.ts';

/**
 * From where on a look reads a function's groups. Below are only dead entries of the index, which each look would walk
 * past until somebody cleans up, and what a transaction that sent more than a second ago has yet to commit. So a floor
 * is good for a second: then somebody looks from the beginning.
 */
export type Floors = {
  /** How long one is good for. */
  readonly lastMs: number;
  of(functions: readonly string[]): From;
  /** Raises them to where the first of each stands. How long until one may be claimed; `undefined`: there is none. */
  untilVisibleMs(functions: readonly string[]): Promise<number | undefined>;
};

/** Each function's in seconds since 1970; whoever is not named is looked at from the beginning. */
export type From = ReadonlyMap<string, number>;

export const beginning: From = new Map();

export const floorsLastMs = 1_000;

export type Raising = {
  readonly now?: () => number;
  readonly lastMs?: number | undefined;
};

type Floor = { readonly seconds: number; readonly untilMs: number };

export function openFloors(
  sql: Sql,
  { now = () => performance.now(), lastMs = floorsLastMs }: Raising = {},
): Floors {
  const known = new Map<string, Floor>();
  const pullBack = pullerOn(sql, now);
  const goodOf = (functions: readonly string[]): ReadonlyMap<string, Floor> => {
    const asked = new Set(functions);
    const at = now();
    return new Map([...known].filter(([name, { untilMs }]) => asked.has(name) && at < untilMs));
  };
  return {
    lastMs,
    of: (functions) => secondsOf(goodOf(functions)),
    async untilVisibleMs(functions) {
      const wholeUntilMs = now() + lastMs;
      const good = goodOf(functions);
      await pullBack(functions);
      const firsts = await readFirsts(sql, functions, secondsOf(good));
      for (const { function: name, floor } of firsts) {
        // Who reads from a floor on learns nothing of what is below.
        known.set(name, { seconds: floor, untilMs: good.get(name)?.untilMs ?? wholeUntilMs });
      }
      const waits = firsts.flatMap(({ ms }) => (ms === null ? [] : [ms]));
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
  };
}

function secondsOf(floors: ReadonlyMap<string, Floor>): From {
  return new Map([...floors].map(([name, { seconds }]) => [name, seconds]));
}

type First = { readonly function: string; readonly ms: number | null; readonly floor: number };

function readFirsts(sql: Sql, functions: readonly string[], from: From) {
  return sql<First[]>`
    select wanted.function,
      (extract(epoch from first.visible_at - clock_timestamp()) * 1000)::float8 as ms,
      extract(epoch from least(first.visible_at, now())
        - ${floorsLastMs} * interval '1 millisecond')::float8 as floor
    from unnest(${functions}::text[],
        ${functions.map((name) => from.get(name) ?? 0)}::float8[]) as wanted (function, floor)
    left join lateral (
      select visible_at from queue_groups
      where function = wanted.function and visible_at >= to_timestamp(wanted.floor)
      order by visible_at
      limit 1
    ) as first on true`;
}
