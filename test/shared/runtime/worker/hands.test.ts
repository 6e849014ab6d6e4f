import { describe, expect, it } from 'vitest';
import { openHands, type Turn } from '#shared/runtime/worker/hands.ts';

const going = new AbortController().signal;

/** Hands whose work runs until it is told to end, and comes to its end when it is told so. */
function workplace(count: number) {
  let nowMs = 0;
  const hands = openHands(count, () => nowMs);
  const began: string[] = [];
  const cut: string[] = [];
  const take = (name: string, stopped = going) => {
    const [hasRun, hasEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    hands.take(async (turn: Turn) => {
      const isTurn = await turn.comes(stopped);
      (isTurn ? began : cut).push(name);
      if (isTurn) await hasRun.promise;
      turn.isOver();
      if (isTurn) await hasEnded.promise;
    });
    return {
      async runs(ms: number) {
        nowMs += ms;
        hasRun.resolve();
        await settled();
      },
      async ends() {
        hasEnded.resolve();
        await settled();
      },
    };
  };
  return { hands, take, began, cut };
}

/** Whatever a step causes has been caused. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** As if its runs had been so long until now. */
async function afterRunsOf(ms: number, count: number) {
  const place = workplace(count);
  const first = place.take('first');
  await settled();
  await first.runs(ms);
  await first.ends();
  place.began.length = 0;
  return place;
}

describe('hands', () => {
  it('take nothing ahead before they know how long runs are', () => {
    expect(workplace(4).hands.free()).toBe(4);
  });

  it.each<[number, number]>([
    [0, 8],
    [20, 8],
    [40, 6],
    [79, 5],
    [81, 4],
    [5_000, 4],
  ])('with runs of %i ms, four of them take %i', async (ms, free) => {
    expect((await afterRunsOf(ms, 4)).hands.free()).toBe(free);
  });

  it('run no more at once than they may, and in the order in which they took', async () => {
    const { hands, take, began } = await afterRunsOf(1, 2);
    const [a, b] = ['a', 'b', 'c', 'd'].map((name) => take(name));
    await settled();
    expect([began, hands.free(), hands.full()]).toEqual([['a', 'b'], 0, 4]);
    await b?.runs(1);
    expect(began).toEqual(['a', 'b', 'c']);
    await a?.runs(1);
    expect(began).toEqual(['a', 'b', 'c', 'd']);
    // Both of them are still coming to their end.
    expect(hands.free()).toBe(0);
    await a?.ends();
    expect(hands.free()).toBe(1);
  });

  it('begin nothing any more once they are stopped, and let end what runs', async () => {
    const { hands, take, began, cut } = await afterRunsOf(1, 1);
    const a = take('a');
    take('b');
    await settled();
    hands.stop();
    take('c');
    await settled();
    expect([began, cut]).toEqual([['a'], ['b', 'c']]);
    await a.runs(1);
    await a.ends();
    await hands.allFree();
    expect(hands.full()).toBe(0);
  });

  it('pass over one that is lost while it waits', async () => {
    const { take, began, cut } = await afterRunsOf(1, 1);
    const lost = new AbortController();
    const a = take('a');
    take('b', lost.signal);
    await settled();
    lost.abort();
    await settled();
    expect(cut).toEqual(['b']);
    take('c');
    await a.runs(1);
    expect(began).toEqual(['a', 'c']);
  });
});
