import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { newest, weightWith } from '#shared/adapters/image-trust/newest.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What lies in the part of the heap that is collected seldom. */
function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  return old?.space_used_size ?? Number.NaN;
}

describe('what is kept in memory', () => {
  it('goes, the oldest first, when all of it weighs too much', () => {
    const kept = newest<number>(10, (value) => value);
    kept.keep('a', 4);
    kept.keep('b', 4);
    kept.keep('a', 5);
    kept.keep('c', 3);
    expect(['a', 'b', 'c'].map(kept.find)).toEqual([5, undefined, 3]);
    // Whatever weighs too much by itself takes nobody's place.
    kept.keep('d', 11);
    expect(['a', 'c', 'd'].map(kept.find)).toEqual([5, 3, undefined]);
    kept.keep('e', 10);
    expect(['a', 'c', 'e'].map(kept.find)).toEqual([undefined, undefined, 10]);
    kept.drop((key) => key === 'e');
    kept.keep('f', 10);
    expect(kept.find('f')).toBe(10);
  });

  it('is a number of them where nothing is said', () => {
    const kept = newest<string>(2);
    for (const key of ['a', 'b', 'c']) kept.keep(key, key);
    expect(['a', 'b', 'c'].map(kept.find)).toEqual([undefined, 'b', 'c']);
  });

  it('stays where it is asked for, however old it is', () => {
    const kept = newest<string>(2);
    for (const key of ['hot', 'a']) kept.keep(key, key);
    for (const key of ['b', 'c', 'd']) {
      expect(kept.find('hot')).toBe('hot');
      kept.keep(key, key);
    }
    expect(['hot', 'a', 'b', 'c', 'd'].map(kept.find)).toEqual([
      'hot',
      ...[undefined, undefined, undefined],
      'd',
    ]);
  });

  it('has room for what comes, however much of it was asked for', () => {
    const kept = newest<string>(3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      kept.keep(key, key);
      for (const each of ['a', 'b', 'c', 'd', 'e']) kept.find(each);
      expect(kept.find(key)).toBe(key);
    }
    expect(['a', 'b', 'c', 'd', 'e'].filter(kept.find)).toEqual(['c', 'd', 'e']);
  });

  it('is not turned over as a whole where all of it was asked for', () => {
    const kept = newest<number>(3_000);
    for (let at = 0; at < 3_000; at += 1) kept.keep(`key-${at}`, at);
    for (let at = 0; at < 3_000; at += 1) kept.find(`key-${at}`);
    kept.keep('new', 0);
    expect([999, 1_000, 1_001].map((at) => kept.find(`key-${at}`))).toEqual([
      999,
      undefined,
      1_001,
    ]);
  });

  it('leaves nothing behind when it is read', () => {
    const kept = newest<number>(100);
    const keys = Array.from({ length: 30 }, (_, at) => `key-${at}`);
    for (const key of keys) kept.keep(key, 1);
    collect();
    const before = oldBytes();
    for (let round = 0; round < 20_000; round += 1) for (const key of keys) kept.find(key);
    expect(oldBytes() - before).toBeLessThan(8 << 20);
  });

  it('weighs what its children do', () => {
    expect(weightWith(Array(1_000).fill('')) / weightWith()).toBeGreaterThan(50);
  });

  it('of lists of a thousand images each are no more than some hundred', async () => {
    const store = verdictsInMemory().open();
    const read: string[] = [];
    const { world, clock, replica } = stage({}, () => ({
      ...store,
      findFacts: (digest) => {
        read.push(digest);
        return store.findFacts(digest);
      },
    }));
    const { one } = replica();
    const children = Array.from({ length: 1_000 }, (_, at) => makeImage(`child-${at}`).manifest);
    const images: string[] = [];
    for (let at = 0; at < 210; at += 1) {
      const list = makeIndex(...children.slice(1 + (at % 7)), makeImage(`own-${at}`).manifest);
      const digest = world.put(`registry.example/evil/app:t${at}`, list);
      images.push(`registry.example/evil/app@${digest}`);
    }
    for (const image of images) await one(image);
    read.length = 0;
    // Past what was answered.
    clock.advanceMs(10 * 60_000);
    await one(images.at(-1) ?? '');
    expect(read).toEqual([]);
    await one(images[0] ?? '');
    expect(read).toHaveLength(1);
  }, 60_000);
});
