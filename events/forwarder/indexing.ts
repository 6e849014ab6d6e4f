import { type Backfill, rowIn } from '#shared/domain/mirrored.ts';
import { indexRecord } from '#shared/domain/named-index.ts';
import { indexesOf, keysOf } from './indexes.ts';
import { nothing, transact, type Writer } from './writer.ts';

/** Rows that were written before an index was declared get its keys, in pages, and nobody is woken for it. */
export async function indexExisting(
  known: readonly Backfill[],
  writer: Writer,
): Promise<'on' | 'fenced'> {
  const fingerprint = indexesOf(writer.followed);
  const found = known.find((each) => each.function === indexRecord);
  if (found !== undefined && isDone(found, fingerprint)) return 'on';
  if (found === undefined && fingerprint === '') return noteNone(writer);

  const begun = { function: indexRecord, fingerprint, after: '', isDone: false };
  for (let at: Backfill = found?.fingerprint === fingerprint ? found : begun; !at.isDone; ) {
    const next = await indexPage(at, writer);
    if (next === 'fenced') return 'fenced';
    at = next;
  }
  return 'on';
}

/** Of rows that never had a key: else whoever reads by an index could not tell it from one whose keys are yet to be made. */
async function noteNone(writer: Writer): Promise<'on' | 'fenced'> {
  const { kind } = await transact(writer, async (transaction) => {
    const none = { function: indexRecord, fingerprint: '', after: '', isDone: true };
    await transaction.setBackfill(none);
    return nothing;
  });
  return kind === 'fenced' ? 'fenced' : 'on';
}

function isDone(found: Backfill, fingerprint: string): boolean {
  return found.fingerprint === fingerprint && found.isDone;
}

async function indexPage(at: Backfill, writer: Writer): Promise<Backfill | 'fenced'> {
  let next = at;
  const { kind } = await transact(writer, async (transaction) => {
    const { rows, isLast } = await transaction.page({
      after: at.after,
      max: writer.world.pace.batchLimit,
    });
    const { subscriptions } = writer.followed;
    if (rows.length > 0) {
      await transaction.write(
        rows.map((row) => rowIn(row, { keys: keysOf(row.object, subscriptions) })),
      );
    }
    next = { ...at, after: rows.at(-1)?.uid ?? at.after, isDone: isLast };
    await transaction.setBackfill(next);
    return nothing;
  });
  return kind === 'fenced' ? 'fenced' : next;
}
