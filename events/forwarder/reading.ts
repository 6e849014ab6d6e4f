import type { Row } from '#shared/domain/mirrored.ts';
import type { Transaction } from './ports.ts';
import { nothing, transact, type Writer } from './writer.ts';

/** Rows, as long as the term is ours. */
export async function readRows(
  writer: Writer,
  read: (transaction: Transaction) => Promise<readonly Row[]>,
): Promise<readonly Row[] | 'fenced'> {
  let rows: readonly Row[] = [];
  const done = await transact(writer, async (transaction) => {
    rows = await read(transaction);
    return nothing;
  });
  return done.kind === 'fenced' ? 'fenced' : rows;
}
