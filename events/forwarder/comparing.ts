import type { Cursor, RowVersion } from '#shared/domain/mirrored.ts';
import { isLater } from '#shared/domain/watched.ts';
import { readWhileOurs } from './read-while-ours.ts';
import { isBehind } from './versions.ts';
import type { Writer } from './writer.ts';

export type Found = {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
};

/** What a list said, of one slice. What is compared with is taken out. */
export type Listing = {
  /** Whoever changed since is not judged by it. */
  readonly version: string;
  /** What some of it may show. */
  readonly upTo: string;
  readonly found: Map<string, Found>;
};
export type Slice = { readonly of: number; readonly index: number };

export type Suspicion =
  | 'missing'
  | 'stale'
  | 'undeleted'
  /** The mirror knows more than a list that came later: the server was restored, and nobody noticed. */
  | 'went-back';
export type Suspects = ReadonlyMap<string, Suspect>;
type Suspect = { readonly why: Suspicion; readonly at: Found };

/** By the uid's last characters, which are random. */
export function isIn({ of, index }: Slice, uid: string): boolean {
  return (Number.parseInt(uid.slice(-6), 16) || 0) % of === index;
}

type Comparing = {
  readonly listing: Pick<Listing, 'version' | 'found'>;
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
    const rows = await readWhileOurs(writer, (transaction) =>
      transaction.versions({ after: from, max: writer.world.pace.batchLimit }),
    );
    if (rows === 'fenced') return 'fenced';
    for (const row of rows.filter(({ uid }) => isIn(slice, uid))) {
      const why = suspicionOf(row, found.get(row.uid), { version, cursor });
      if (why !== undefined) suspects.set(row.uid, { why, at: foundAt(row) });
      found.delete(row.uid);
    }
    after = rows.at(-1)?.uid;
  }
  return withMissing(suspects, found, { version, cursor, writer });
}

function foundAt({ namespace, name, resourceVersion }: RowVersion): Found {
  return { namespace, name, resourceVersion };
}

type Judging = { readonly version: string; readonly cursor: Cursor };

/** Without a living row: nobody ever told of it, or it lives again. As many as a slice has may have gone since the list. */
async function withMissing(
  suspects: Map<string, Suspect>,
  left: ReadonlyMap<string, Found>,
  { writer, ...judging }: Judging & { readonly writer: Writer },
): Promise<Suspects | 'fenced'> {
  const entries = [...left];
  const { batchLimit } = writer.world.pace;
  for (let from = 0; from < entries.length; from += batchLimit) {
    const some = entries.slice(from, from + batchLimit);
    const uids = some.map(([uid]) => uid);
    const rows = await readWhileOurs(writer, (transaction) => transaction.versionsOf(uids));
    if (rows === 'fenced') return 'fenced';
    const known = new Map(rows.map((row) => [row.uid, row]));
    for (const [uid, at] of some) {
      const why = suspicionOfMissing(known.get(uid), judging);
      if (why !== undefined) suspects.set(uid, { why, at });
    }
  }
  return suspects;
}

function suspicionOfMissing(row: RowVersion | undefined, judging: Judging): Suspicion | undefined {
  // In another history a uid may live again.
  if (row === undefined || (row.isDeleted && row.epoch !== judging.cursor.epoch)) return 'missing';
  return livesAgain(row, judging) ? 'went-back' : undefined;
}

/** A uid that ended never lives again in one history. What ended since the list, the next audit does not see. */
function livesAgain(row: RowVersion, { version, cursor }: Judging): boolean {
  return row.isDeleted && row.epoch === cursor.epoch && !isLater(row.resourceVersion, version);
}

/** Only of rows that no event has touched since the list. */
export function suspicionOf(
  row: RowVersion,
  listed: Found | undefined,
  { version, cursor }: Judging,
): Suspicion | undefined {
  if (row.epoch !== cursor.epoch || isLater(row.resourceVersion, version)) return undefined;
  if (listed === undefined) return 'undeleted';
  if (isBehind(listed.resourceVersion, row.resourceVersion)) return 'went-back';
  return isLater(listed.resourceVersion, row.resourceVersion) ? 'stale' : undefined;
}
