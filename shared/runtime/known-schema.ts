import type { DatabaseError } from '#shared/adapters/database/failure.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { Condition } from '#shared/domain/condition.ts';
import type { Conditions } from '#shared/ports.ts';
import { type Once, once } from './once.ts';

type Known = {
  /** Left out: whoever runs the process has seen to it. */
  readonly schema: readonly KnownMigration[] | undefined;
  readonly conditions: Conditions;
};

/**
 * Nobody gets the database before its schema is known to be ours: the tables of another one would be misread. Looked at by
 * each who asks for as long as it is not; then it stays so, since migrations only add.
 */
export function ofKnownSchema(
  { get, known }: Once<Database>,
  { schema, conditions }: Known,
): Once<Database> {
  if (schema === undefined) return { get, known };
  const looked = once(async () => {
    const database = await get();
    const { schemaFlaw } = await import('#shared/adapters/database/schema-flaw.ts');
    const flaw = await schemaFlaw(database, schema);
    for (const condition of conditionsOf(flaw)) conditions.report(condition);
    if (flaw !== undefined) throw flaw;
    return database;
  });
  // What is there is to be closed, also while nobody knows what it is.
  return { get: looked.get, known };
}

/** Two: what is wrong with it is said as well where it was away before. */
function conditionsOf(flaw: DatabaseError | undefined): readonly Condition[] {
  if (flaw?.failure.kind === 'no-server') {
    return [{ name: 'database', holds: false, why: whyOf(flaw) }];
  }
  return [
    { name: 'database', holds: true, why: 'it answers' },
    { name: 'schema', holds: flaw === undefined, why: flaw ? whyOf(flaw) : 'it is ours' },
  ];
}

function whyOf({ where, message, mend }: DatabaseError): string {
  return `${where}: ${message}; ${mend}`;
}
