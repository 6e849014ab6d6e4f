import type { Sql } from 'postgres';

/** How the server folds up what is long: half of what a row of 5 KB costs there with `pglz`, which every one has. */
export type Compression = {
  best(): Promise<string>;
  /** It may be another server by now. */
  forget(): void;
};

/** `lz4` where the server has it; what somebody set there stands. */
export function compressionOn(sql: Sql): Compression {
  let known: Promise<string> | undefined;
  return {
    best() {
      known ??= bestOn(sql);
      return known;
    },
    forget() {
      known = undefined;
    },
  };
}

async function bestOn(sql: Sql): Promise<string> {
  const [found] = await sql<{ best: string }[]>`
    select case when source = 'default' and 'lz4' = any(enumvals) then 'lz4' else setting end as best
    from pg_settings where name = 'default_toast_compression'`;
  return found?.best ?? 'pglz';
}
