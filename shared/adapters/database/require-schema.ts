import type { Sql, TransactionSql } from 'postgres';

type Seen = { readonly isThere: boolean; readonly path: string; readonly user: string };

/**
 * Throws where the user sees none: each table would be missing for the server too, and a migration be asked for that cannot
 * make it. As the server would say it of a table to be made, so that who waits for a right waits for this one.
 */
export async function requireSchema(sql: Sql | TransactionSql): Promise<void> {
  const [seen] = await sql<Seen[]>`
    select current_schema() is not null as "isThere", current_setting('search_path') as path,
      current_user as user`;
  if (seen === undefined || seen.isThere) return;
  const why = `of its search_path (${seen.path}) no schema is there on which ${seen.user} has USAGE`;
  throw Object.assign(new Error(why), { code: '3F000' });
}
