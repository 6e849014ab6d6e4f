import { describe, expect, it } from 'vitest';
import { inBatches } from '#shared/domain/in-batches.ts';

function recorded(atOnce: number, max = 100) {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const ask = inBatches<number, number>({
    run: async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * 2);
    },
    ...{ max, atOnce },
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batches, ask, turn, open: () => gates.shift()?.() };
}

describe('batches', () => {
  it('takes together what is asked for in the same turn', async () => {
    const { batches, ask, turn, open } = recorded(1);
    const answers = [1, 2, 3].map(ask);
    await turn();
    open();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('takes together what comes while others are under way', async () => {
    const { batches, ask, turn, open } = recorded(1);
    const answers = [ask(1)];
    await turn();
    answers.push(ask(2), ask(3));
    await turn();
    expect(batches).toEqual([[1]]);
    open();
    await turn();
    open();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('has as many under way as it may, each as big as it may be', async () => {
    const { batches, ask, turn } = recorded(2, 2);
    void [1, 2, 3, 4, 5].map(ask);
    await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('takes only those together that may go with the first, and nobody before his turn', async () => {
    const batches: (readonly number[])[] = [];
    const ask = inBatches<number, number>({
      run: async (items) => {
        batches.push(items);
        return items;
      },
      ...{ max: 3, atOnce: 1, mayGoTogether: (first, other) => first % 2 === other % 2 },
    });
    const asked = [1, 3, 5, 7, 2, 9, 4, 6];
    expect(await Promise.all(asked.map(ask))).toEqual(asked);
    expect(batches).toEqual([[1, 3, 5], [7], [2], [9], [4, 6]]);
  });

  it('takes no more together than may be, but one that alone is more', async () => {
    const batches: (readonly number[])[] = [];
    const ask = inBatches<number, number>({
      run: async (items) => {
        batches.push(items);
        return items;
      },
      ...{ max: 100, atOnce: 1, weight: { of: (item) => item, most: 10 } },
    });
    const asked = [4, 6, 1, 12, 9, 2];
    expect(await Promise.all(asked.map(ask))).toEqual(asked);
    expect(batches).toEqual([[4, 6], [1], [12], [9], [2]]);
  });

  it('fails those of a batch that failed, and goes on', async () => {
    const { ask, turn, open } = recorded(1);
    const failed = Promise.allSettled([ask(1), ask(13)]);
    await turn();
    open();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const good = ask(4);
    await turn();
    open();
    expect(await good).toBe(8);
  });
});
