import { describe, expect, it } from 'vitest';
import { gathering } from '#shared/adapters/database/gathering.ts';

/** Doubles numbers, and tells what went in which statement. */
function doubling() {
  const statements: (readonly number[])[] = [];
  const ask = gathering(String, async (asks: readonly number[]) => {
    statements.push(asks);
    if (asks.includes(13)) throw new Error('thirteen');
    if (asks.includes(14)) throw Object.assign(new Error('away'), { code: 'ECONNRESET' });
    return asks.map((each) => each * 2);
  });
  return { ask, statements };
}

describe('what is asked for in one turn', () => {
  it('goes in one statement, and everybody is told his own', async () => {
    const { ask, statements } = doubling();
    expect(await Promise.all([3, 1, 2].map(ask))).toEqual([6, 2, 4]);
    expect(statements).toEqual([[3, 1, 2]]);
  });

  it('is not joined by what is asked for after the answer', async () => {
    const { ask, statements } = doubling();
    await ask(1);
    await ask(2);
    expect(statements).toEqual([[1], [2]]);
  });

  it('goes in two statements where the same is asked for twice', async () => {
    const { ask, statements } = doubling();
    expect(await Promise.all([1, 2, 1, 3].map(ask))).toEqual([2, 4, 2, 6]);
    expect(statements).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });

  it('goes in several statements where it is very much', async () => {
    const { ask, statements } = doubling();
    const asks = Array.from({ length: 450 }, (_, at) => 1_000 + at);
    expect(await Promise.all(asks.map(ask))).toEqual(asks.map((each) => each * 2));
    expect(statements.map(({ length }) => length)).toEqual([200, 200, 50]);
  });

  it('is told to all but the one that is refused, in a few statements', async () => {
    const { ask, statements } = doubling();
    const asks = Array.from({ length: 100 }, (_, at) => (at === 60 ? 13 : 100 + at));
    const told = await Promise.allSettled(asks.map(ask));
    const values = told.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));
    expect(values).toEqual(asks.map((each) => (each === 13 ? 'refused' : each * 2)));
    expect(statements.length).toBeLessThan(20);
  });

  it('fails together where nobody is answered, and nothing that comes after it', async () => {
    const { ask, statements } = doubling();
    const told = await Promise.allSettled([1, 14].map(ask));
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toHaveLength(1);
    expect(await ask(1)).toBe(2);
  });
});
