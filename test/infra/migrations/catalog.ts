import type { Sql } from 'postgres';

/** What the server knows of a schema, a line each, by names: what pg_dump would print, without the migrations' own table. */
export async function catalogOf(sql: Sql): Promise<readonly string[]> {
  const found = await Promise.all(Object.entries(parts).map(([what, part]) => part(sql, what)));
  return found
    .flat()
    .map(({ line }) => line)
    .toSorted();
}

type Part = (sql: Sql, what: string) => Promise<readonly { readonly line: string }[]>;

/** Nobody's own: extensions, what indexes and identities bring along, and the list of migrations. */
const ours = (sql: Sql) => sql`
  relnamespace = 'public'::regnamespace and relname not like 'gatehouse_migrations%'`;

const parts: Readonly<Record<string, Part>> = {
  table: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, relname, relkind, relpersistence, relrowsecurity,
      'options', (select array_agg(each order by each) from unnest(reloptions) as each),
      'access', relacl) as line
    from pg_class where ${ours(sql)} and relkind not in ('i', 't')`,
  column: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, relname, attname, format_type(atttypid, atttypmod),
      'not null', attnotnull, 'collate', (select collname from pg_collation where oid = attcollation),
      'identity', attidentity, 'generated', attgenerated, 'storage', attstorage,
      'default', pg_get_expr(adbin, adrelid)) as line
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where ${ours(sql)} and relkind = 'r'`,
  constraint: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, relname, conname, pg_get_constraintdef(c.oid),
      'valid', convalidated) as line
    from pg_constraint c join pg_class on conrelid = pg_class.oid where ${ours(sql)} and contype <> 'n'`,
  index: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, relname, pg_get_indexdef(indexrelid), 'valid', indisvalid,
      'options', reloptions) as line
    from pg_index join pg_class on indexrelid = pg_class.oid where ${ours(sql)}`,
  sequence: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, relname, seqtypid::regtype, seqstart, seqincrement, seqmin,
      seqmax, seqcache, seqcycle) as line
    from pg_sequence join pg_class on seqrelid = pg_class.oid where ${ours(sql)}`,
  function: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, pg_get_functiondef(oid)) as line
    from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')`,
  trigger: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, pg_get_triggerdef(t.oid), tgenabled) as line
    from pg_trigger t join pg_class on tgrelid = pg_class.oid where ${ours(sql)} and not tgisinternal`,
  type: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, typname, typtype,
      (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid)) as line
    from pg_type t where typnamespace = 'public'::regnamespace and typtype in ('d', 'e', 'r')`,
  extension: (sql, what) => sql`
    select concat_ws(' ', ${what}::text, extname) as line from pg_extension`,
};
