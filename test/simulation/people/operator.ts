import type { Database } from '../database/database.ts';

/** Puts back what is buried, at the end of its group. It may have to wait for whoever sends there. */
export async function redriveAll({ queue, order, receipts }: Database): Promise<boolean> {
  const dead = await queue.listDead({ max: 1_000 });
  if (dead.length === 0) return false;

  const redriving = queue.redrive(dead.map(({ id }) => id));
  void redriving.then(() => {
    order.redriven(dead.map(({ body }) => body));
    receipts.changed();
  });
  return true;
}
