import { join } from 'node:path';
import type { Sql } from 'postgres';
import { readSchema } from '#shared/adapters/database/migrate.ts';
import { trouble } from '../../cli/output.ts';
import { readMigrations } from '../../migrations/read.ts';

/** Of what lies in the state folder, ours or that of a cluster that is not. */
export type Lying = {
  readonly folder: string;
  /** What forgets it, where anything does. */
  readonly forgetting?: string;
};

/** Before we write there or make anything in the cluster: the tables of a newer version we would misread. */
export async function refuseOtherSchema(sql: Sql, { folder, forgetting }: Lying): Promise<void> {
  const state = await readSchema(sql, await readMigrations());
  if (state.kind !== 'unusable') return;
  const { kind, what } = state.failure;
  const isNewer = kind === 'newer-schema';
  const mends = [
    ...(isNewer ? ['update gatehouse'] : []),
    'name another folder by --state',
    ...(forgetting === undefined ? [] : [`forget what is in it by ${forgetting}`]),
  ];
  throw trouble(
    isNewer
      ? 'this state folder is of a newer Gatehouse'
      : 'the database of this state folder cannot be used',
    { where: [what, join(folder, 'postgres')], mend: mends.join(', or ') },
  );
}
