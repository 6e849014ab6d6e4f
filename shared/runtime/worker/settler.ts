import type { Queue } from '#events/queue.ts';
import { inBatches } from '#shared/domain/in-batches.ts';

/** Settles by receipt; `false`: it was worth nothing any more. */
export type Settler = (receipt: string) => Promise<boolean>;

/** What ends in one turn, or while one call is under way, is settled by one call. */
export function openSettler(queue: Pick<Queue, 'settle'>): Settler {
  const run = (receipts: readonly string[]) => queue.settle(receipts);
  return inBatches<string, boolean>({ run, max: 1_000, atOnce: 1 });
}
