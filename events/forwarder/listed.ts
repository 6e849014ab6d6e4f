import type { Cursor, Row } from '#shared/domain/mirrored.ts';
import { isBehind } from './checking.ts';
import type { Seen } from './plan.ts';
import { type Committed, knownOf, nothing, transact, type Writer, writeSeen } from './writer.ts';

/**
 * A part of a list. A list tells of now: where the mirror knows more of the same history, the server's state went back
 * (a restore while nobody watched), and nothing of it is written before another epoch has begun.
 */
export async function commitListed(
  writer: Writer,
  seen: readonly Seen[],
  cursor: Cursor,
): Promise<Committed | { readonly kind: 'went-back' }> {
  let isBack = false;
  const committed = await transact(writer, async (transaction) => {
    const known = await knownOf(seen, transaction);
    isBack = wentBack(seen, known, cursor);
    return isBack ? nothing : writeSeen({ seen, known }, { transaction, writer, cursor });
  });
  return isBack && committed.kind === 'committed' ? { kind: 'went-back' } : committed;
}

/** Of an object the list has an older version than the mirror, or it has one that the mirror knows to be deleted. */
export function wentBack(
  seen: readonly Seen[],
  known: readonly Row[],
  { epoch }: Pick<Cursor, 'epoch'>,
): boolean {
  const rows = new Map(known.filter((row) => row.epoch === epoch).map((row) => [row.uid, row]));
  return seen.some(({ object: { metadata } }) => {
    const { uid = '', resourceVersion = '' } = metadata;
    const row = rows.get(uid);
    return row !== undefined && (row.isDeleted || isBehind(resourceVersion, row.resourceVersion));
  });
}
