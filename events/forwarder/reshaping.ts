import type { Backfill } from '#shared/domain/mirrored.ts';
import type { Transaction } from './ports.ts';
import { servedScope, type Writer } from './writer.ts';

/** Beside the functions' own records, as that of the indexes. */
export const versionRecord = '#version';

/** A definition may go over to another version while both are served: whoever watches on would leave the rows as they were. */
export function isOfOtherVersion(known: readonly Backfill[], writer: Writer): boolean {
  const found = known.find((each) => each.function === versionRecord);
  return found?.fingerprint !== versionOf(writer);
}

/** With the beginning of a list: its rows are of this version, and the cursor says that it has to come to its end. */
export function sayVersion(writer: Writer, transaction: Transaction): Promise<void> {
  const fingerprint = versionOf(writer);
  return transaction.setBackfill({ function: versionRecord, fingerprint, after: '', isDone: true });
}

function versionOf(writer: Writer): string {
  return servedScope(writer).kind.version;
}
