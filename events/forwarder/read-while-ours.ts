import type { Transaction } from './ports.ts';
import { nothing, transact, type Writer } from './writer.ts';

/** In a transaction of its own, as long as the term is ours. */
export async function readWhileOurs<T extends object | number>(
  writer: Writer,
  read: (transaction: Transaction) => Promise<T>,
): Promise<T | 'fenced'> {
  let told: T | 'fenced' = 'fenced';
  const done = await transact(writer, async (transaction) => {
    told = await read(transaction);
    return nothing;
  });
  return done.kind === 'fenced' ? 'fenced' : told;
}
