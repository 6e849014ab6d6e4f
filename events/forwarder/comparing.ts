import type { Cursor, Row } from '#shared/domain/mirrored.ts';
import { isLater } from '#shared/domain/watched.ts';
import { readRows } from './reading.ts';
import type { Writer } from './writer.ts';

export type Found = {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
};

/** What a list said, of one slice. What is compared with is taken out. */
export type Listing = { readonly version: string; readonly found: Map<string, Found> };
export type Slice = { readonly of: number; readonly index: number };

export type Suspicion = 'missing' | 'stale' | 'undeleted';
export type Suspects = ReadonlyMap<string, Suspect>;
type Suspect = { readonly why: Suspicion; readonly at: Found };

/** By the uid's last characters, which are random. */
export function isIn({ of, index }: Slice, uid: string): boolean {
  return (Number.parseInt(uid.slice(-6), 16) || 0) % of === index;
}

type Comparing = {
  readonly listing: Listing;
  readonly slice: Slice;
  readonly cursor: Cursor;
};

export async function compare(
  { listing: { version, found }, slice, cursor }: Comparing,
  writer: Writer,
): Promise<Suspects | 'fenced'> {
  const suspects = new Map<string, Suspect>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const rows = await readRows(writer, (transaction) =>
      transaction.page({ after: from, max: 500 }),
    );
    if (rows === 'fenced') return 'fenced';
    for (const row of rows.filter(({ uid }) => isIn(slice, uid))) {
      const why = suspicionOf(row, found.get(row.uid), { version, cursor });
      if (why !== undefined) suspects.set(row.uid, { why, at: row });
      found.delete(row.uid);
    }
    after = rows.at(-1)?.uid;
  }
  return withMissing(suspects, found, writer);
}

/** Without a living row, and without a tombstone either: nobody ever told of it. */
async function withMissing(
  suspects: Map<string, Suspect>,
  left: ReadonlyMap<string, Found>,
  writer: Writer,
): Promise<Suspects | 'fenced'> {
  const uids = [...left.keys()];
  const rows =
    uids.length === 0
      ? []
      : await readRows(writer, (transaction) => transaction.find({ uids, names: [] }));
  if (rows === 'fenced') return 'fenced';

  const known = new Set(rows.map(({ uid }) => uid));
  for (const [uid, at] of left) if (!known.has(uid)) suspects.set(uid, { why: 'missing', at });
  return suspects;
}

/** Only of rows that no event has touched since the list. */
export function suspicionOf(
  row: Row,
  listed: Found | undefined,
  { version, cursor }: { readonly version: string; readonly cursor: Cursor },
): Suspicion | undefined {
  if (row.epoch !== cursor.epoch || isLater(row.resourceVersion, version)) return undefined;
  if (listed === undefined) return 'undeleted';
  return isLater(listed.resourceVersion, row.resourceVersion) ? 'stale' : undefined;
}
