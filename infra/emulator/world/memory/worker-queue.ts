import type { Delivery, Queue, Receiving } from '#events/queue.ts';
import type { Time } from '../time.ts';
import type { Life } from './mortal.ts';
import type { Troubles } from './troubles.ts';

export type WorkerQueue = {
  readonly queue: Queue;
  readonly time: Time;
  readonly life: Life;
  readonly troubles: Troubles;
  readonly visibilityMs: number;
};

/** The queue as one worker sees it: duplicates, another order, and nothing any more when it is dead. */
export function queueFor(parts: WorkerQueue): Queue {
  const { queue, life, troubles } = parts;
  const held = new Set<string>();
  const alive = <T>(answer: T, dead: T): T => (life.isOver ? dead : answer);
  const end = async (receipt: string, how: () => Promise<boolean>) => {
    if (life.isOver) return false;
    held.delete(receipt);
    return how();
  };
  return {
    ...queue,
    receive: async (receiving) => {
      const deliveries = await receiveBy(parts, receiving);
      for (const { receipt } of deliveries) keep(receipt, held, parts);
      return deliveries;
    },
    extend: async (receipt, ms) => alive(await queue.extend(receipt, ms), false),
    settle: (receipts) =>
      Promise.all(receipts.map((each) => end(each, () => settled(each, queue, troubles)))),
    release: (receipt) => end(receipt, () => queue.release(receipt)),
    bury: (receipt, why) => end(receipt, () => queue.bury(receipt, why)),
    send: async (messages) => (life.isOver ? new Promise(() => undefined) : queue.send(messages)),
  };
}

/** To the worker it is settled, and to the queue it is not: at least once is not once. */
async function settled(receipt: string, queue: Queue, troubles: Troubles): Promise<boolean> {
  if (troubles.again > 0) {
    troubles.again -= 1;
    return queue.release(receipt);
  }
  const [answer = false] = await queue.settle([receipt]);
  return answer;
}

async function receiveBy(
  { queue, life, troubles }: WorkerQueue,
  receiving: Receiving,
): Promise<readonly Delivery[]> {
  const max = troubles.isReversed ? 1_000 : receiving.max;
  const all = await queue.receive({ ...receiving, max });
  // What a dead one has claimed nobody gives back: it comes again when its visibility runs out.
  if (life.isOver) return [];
  if (!troubles.isReversed) return all;
  const others = all.slice(0, -1);
  await Promise.all(others.map(({ receipt }) => queue.release(receipt)));
  return all.slice(-1);
}

/** The worker extends by the true clock; by the invented one we do. */
function keep(receipt: string, held: Set<string>, parts: WorkerQueue): void {
  const { time, queue, life, visibilityMs } = parts;
  held.add(receipt);
  time.after(visibilityMs / 3, () => {
    if (life.isOver || !held.has(receipt)) return;
    void queue.extend(receipt, visibilityMs);
    keep(receipt, held, parts);
  });
}
