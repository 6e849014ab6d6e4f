import type { Queue } from '#events/queue.ts';

/** Settles by receipt; `false`: it was worth nothing any more. */
export type Settler = (receipt: string) => Promise<boolean>;

type Asked = {
  readonly receipt: string;
  readonly answer: PromiseWithResolvers<boolean>;
};

/** What is done while one call is under way goes with the next: no call waits for a company. */
export function openSettler(queue: Pick<Queue, 'settle'>): Settler {
  let asked: Asked[] = [];
  let isUnderWay = false;

  const settleAll = async (): Promise<void> => {
    isUnderWay = true;
    while (asked.length > 0) {
      const batch = asked;
      asked = [];
      await settleBatch(queue, batch);
    }
    isUnderWay = false;
  };
  return (receipt) => {
    const answer = Promise.withResolvers<boolean>();
    asked.push({ receipt, answer });
    if (!isUnderWay) void settleAll();
    return answer.promise;
  };
}

async function settleBatch(queue: Pick<Queue, 'settle'>, batch: readonly Asked[]): Promise<void> {
  try {
    const settled = await queue.settle(batch.map(({ receipt }) => receipt));
    for (const [index, { answer }] of batch.entries()) answer.resolve(settled[index] ?? false);
  } catch (cause: unknown) {
    for (const { answer } of batch) answer.reject(cause);
  }
}
