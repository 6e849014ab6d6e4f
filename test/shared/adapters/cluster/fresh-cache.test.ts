import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { freshCache } from '#shared/adapters/cluster/fresh-cache.ts';

/** A source whose answers are given by hand. */
function source(maxEntries = 10) {
  const clock = clockAt('2030-01-01T00:00:00Z');
  const asked: PromiseWithResolvers<string>[] = [];
  const cache = freshCache<string>({
    load: () => {
      const answer = Promise.withResolvers<string>();
      asked.push(answer);
      return answer.promise;
    },
    lifeMs: (value) => (value === 'absent' ? 250 : 1_000),
    maxEntries,
    clock,
  });
  const answer = async (index: number, value: string) => {
    asked[index]?.resolve(value);
    await asked[index]?.promise;
  };
  return { cache, clock, asked, answer };
}

describe('a fresh cache', () => {
  it('asks once for readers at the same time', async () => {
    const { cache, asked, answer } = source();
    const readers = [cache.find('a'), cache.find('a')];
    await answer(0, 'one');
    expect(await Promise.all(readers)).toEqual(['one', 'one']);
    expect(asked).toHaveLength(1);
  });

  it('keeps keys apart', async () => {
    const { cache, answer } = source();
    const readers = [cache.find('a'), cache.find('b')];
    await answer(0, 'one');
    await answer(1, 'two');
    expect(await Promise.all(readers)).toEqual(['one', 'two']);
  });

  it.each([
    ['in the first half of its life', 499, 1],
    ['from the half of it on, refreshed for the next reader', 500, 2],
    ['at its last moment', 999, 2],
  ])('serves a value without waiting %s', async (_, age, requests) => {
    const { cache, clock, asked, answer } = source();
    const first = cache.find('a');
    await answer(0, 'one');
    await first;
    clock.advanceMs(age);
    expect(await cache.find('a')).toBe('one');
    expect(asked).toHaveLength(requests);
  });

  it('asks for one refresh only, and then serves what it brought', async () => {
    const { cache, clock, asked, answer } = source();
    const first = cache.find('a');
    await answer(0, 'one');
    await first;
    clock.advanceMs(600);
    await Promise.all([cache.find('a'), cache.find('a')]);
    expect(asked).toHaveLength(2);
    await answer(1, 'two');
    expect(await cache.find('a')).toBe('two');
  });

  it('lets a reader wait for what is too old', async () => {
    const { cache, clock, answer } = source();
    const first = cache.find('a');
    await answer(0, 'one');
    await first;
    clock.advanceMs(1_000);
    const late = cache.find('a');
    await answer(1, 'two');
    expect(await late).toBe('two');
  });

  it('counts the age from the question, not from the answer', async () => {
    const { cache, clock, asked, answer } = source();
    const first = cache.find('a');
    clock.advanceMs(900);
    await answer(0, 'one');
    await first;
    clock.advanceMs(100);
    void cache.find('a');
    expect(asked).toHaveLength(2);
  });

  it('gives each value a life of its own', async () => {
    const { cache, clock, asked, answer } = source();
    const first = cache.find('a');
    await answer(0, 'absent');
    await first;
    clock.advanceMs(250);
    void cache.find('a');
    expect(asked).toHaveLength(2);
  });

  it('tells a failure to all who wait, and for 200 ms to those who come', async () => {
    const { cache, clock, asked, answer } = source();
    const waiting = [cache.find('a'), cache.find('a')].map((read) =>
      expect(read).rejects.toThrow('away'),
    );
    asked[0]?.reject(new Error('away'));
    await Promise.all(waiting);

    clock.advanceMs(199);
    await expect(cache.find('a')).rejects.toThrow('away');
    expect(asked).toHaveLength(1);

    clock.advanceMs(1);
    const next = cache.find('a');
    await answer(1, 'back');
    expect(await next).toBe('back');
  });

  it('serves what is not too old when its refresh fails', async () => {
    const { cache, clock, asked, answer } = source();
    const first = cache.find('a');
    await answer(0, 'one');
    await first;
    clock.advanceMs(600);
    await cache.find('a');
    asked[1]?.reject(new Error('away'));
    await expect(asked[1]?.promise).rejects.toThrow('away');
    expect(await cache.find('a')).toBe('one');
    clock.advanceMs(150);
    expect(await cache.find('a')).toBe('one');
    expect(asked).toHaveLength(2);
  });

  it('forgets the oldest beyond its bound', async () => {
    const { cache, asked, answer } = source(2);
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const read = cache.find(key);
      await answer(index, key);
      await read;
    }
    await Promise.all([cache.find('b'), cache.find('c')]);
    expect(asked).toHaveLength(3);
    void cache.find('a');
    expect(asked).toHaveLength(4);
  });
});
