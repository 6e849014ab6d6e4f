import { type DatabaseError, databaseError, failed } from './failure.ts';
import { readSchema } from './migrate.ts';
import type { Database } from './open.ts';
import { flawOf, type KnownMigration } from './schema.ts';

/** Why whoever was written for this schema cannot use the database: it has another one, or nobody says which it has. */
export async function schemaFlaw(
  { sql, where }: Pick<Database, 'sql' | 'where'>,
  schema: readonly KnownMigration[],
): Promise<DatabaseError | undefined> {
  try {
    const flaw = flawOf(await readSchema(sql, schema));
    return flaw && failed(flaw, where);
  } catch (cause: unknown) {
    return databaseError(cause, where);
  }
}
