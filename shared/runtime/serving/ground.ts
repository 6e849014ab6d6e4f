import { failureOf, isDatabaseError } from '#shared/adapters/database/failure.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import type { Migration } from '#shared/adapters/database/schema.ts';
import type { Conditions } from '#shared/ports.ts';
import type { Log } from '../log.ts';
import { tenths } from '../tenths.ts';
import { openOutages } from '../worker/outage.ts';

/** Where a serving process keeps its state, and what the schema has to be. */
export type Store = {
  readonly url: string;
  readonly migrations: readonly Migration[];
};

export type Preparing = {
  readonly store: Store;
  readonly conditions: Conditions;
  readonly log: Log;
  readonly stopped: AbortSignal;
};

/** Texts of a database's own errors print parameters: what is said is a failure of ours. */
export function sayFailure(cause: unknown): string {
  const { what, mend } = failureOf(cause);
  return `${what}; ${mend}`;
}

/**
 * The schema as this version wants it, whoever makes it so; waits for a database that is away. Throws where the schema
 * is one that we would misread: waiting does not help there. `false`: told to stop before.
 */
export async function prepareGround(preparing: Preparing): Promise<boolean> {
  const { store, conditions, log, stopped } = preparing;
  const database = openDatabase(store.url, {
    name: 'gatehouse migrate',
    connections: 1,
    isPatient: true,
  });
  const outages = openOutages({
    name: 'database',
    conditions,
    log,
    random: Math.random,
    say: sayFailure,
  });
  try {
    const prepared = await outages.through(() => migrated(database, preparing), stopped);
    if (prepared?.kind === 'unusable') throw prepared.cause;
    return prepared !== undefined;
  } finally {
    await database.close();
  }
}

type Prepared = { readonly kind: 'good' } | { readonly kind: 'unusable'; readonly cause: Error };

async function migrated({ sql, where }: Database, { store, log }: Preparing): Promise<Prepared> {
  try {
    await migrate(sql, {
      migrations: store.migrations,
      where,
      onApplied: ({ name }, ms) =>
        log.info({ migration: name, ms: tenths(ms) }, 'a migration was applied'),
    });
    return { kind: 'good' };
  } catch (cause: unknown) {
    if (isDatabaseError(cause)) return { kind: 'unusable', cause };
    throw cause;
  }
}
