import type { Kind } from '#shared/domain/kind.ts';
import type { Backfill, Cursor, Row } from '#shared/domain/mirrored.ts';
import { openLocks } from './locks.ts';

/** What all processes see of the database: only what is committed. */
export type MirrorShelf = {
  readonly clusters: Map<string, { readonly uid: string; readonly epoch: number }>;
  readonly watches: Map<string, StoredWatch>;
  readonly rows: Map<string, StoredRow>;
  readonly backfills: Map<string, StoredBackfill>;
  readonly locks: ReturnType<typeof openLocks>;
};

export type StoredWatch = Place & {
  readonly holder: string | undefined;
  readonly term: number;
  readonly leaseUntilMs: number;
  readonly cursor: Cursor;
  readonly changes: number;
  /** The rows have all that was in the cluster then. */
  readonly caughtUpAtMs: number | undefined;
  readonly isRetired: boolean;
};

export type StoredRow = Place & {
  readonly row: Row;
  readonly mirroredAtMs: number;
  readonly deletedAtMs: number | undefined;
};

export type StoredBackfill = Pick<Place, 'cluster' | 'scope'> & { readonly backfill: Backfill };

export type Place = Pick<Kind, 'group' | 'resource'> & {
  readonly cluster: string;
  readonly scope: string;
};

export function mirrorShelf(): MirrorShelf {
  return {
    clusters: new Map(),
    watches: new Map(),
    rows: new Map(),
    backfills: new Map(),
    locks: openLocks(),
  };
}

export function watchKey({ cluster, scope }: Pick<Place, 'cluster' | 'scope'>): string {
  return `${cluster} ${scope}`;
}

export function backfillKey(place: Pick<Place, 'cluster' | 'scope'>, of: string): string {
  return `${watchKey(place)} ${of}`;
}

export function rowKey({ cluster, group, resource }: Omit<Place, 'scope'>, uid: string): string {
  return `${cluster} ${group}/${resource} ${uid}`;
}

/** As Postgres has it under the collation C, for what is ASCII. */
export function byUid(one: StoredRow, other: StoredRow): number {
  if (one.row.uid === other.row.uid) return 0;
  return one.row.uid < other.row.uid ? -1 : 1;
}
