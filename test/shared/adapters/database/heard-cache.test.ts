import { describe, expect, it } from 'vitest';
import { heardCache } from '#shared/adapters/database/heard-cache.ts';

/** Reads that are answered when the test says so. */
function stage(maxEntries = 10) {
  const reads: (PromiseWithResolvers<string | undefined> & { readonly name: string })[] = [];
  const cache = heardCache((name) => {
    const read = { name, ...Promise.withResolvers<string | undefined>() };
    reads.push(read);
    return read.promise;
  }, maxEntries);
  const known = async (name: string) => {
    const found = cache.find(name);
    reads.at(-1)?.resolve(`${name} of read ${reads.length}`);
    return found;
  };
  return { cache, reads, known };
}

describe('a cache that is told what to forget', () => {
  it('reads a name once', async () => {
    const { cache, reads, known } = stage();
    await known('a');
    expect(await cache.find('a')).toBe('a of read 1');
    expect(reads).toHaveLength(1);
  });

  it('lets those who ask at the same time share one read', async () => {
    const { cache, reads, known } = stage();
    const [one, other] = [cache.find('a'), known('a')];
    expect([await one, await other]).toEqual(['a of read 1', 'a of read 1']);
    expect(reads).toHaveLength(1);
  });

  it('forgets the names that it is told, and no others', async () => {
    const { cache, known } = stage();
    await known('a');
    await known('b');
    cache.drop(['a']);
    expect(await known('a')).toBe('a of read 3');
    expect(await cache.find('b')).toBe('b of read 2');
  });

  it('forgets all where no names are told', async () => {
    const { cache, known } = stage();
    await known('a');
    cache.drop(undefined);
    expect(await known('a')).toBe('a of read 2');
  });

  it.each([
    ['by name', ['a']],
    ['with all', undefined],
  ])('does not remember a read that began before it was dropped %s', async (_, names) => {
    const { cache, reads, known } = stage();
    const before = cache.find('a');
    cache.drop(names);
    reads[0]?.resolve('from before the change');
    await before;
    expect(await known('a')).toBe('a of read 2');
  });

  it('lets nobody who asks after a change share a read from before it', async () => {
    const { cache, reads } = stage();
    void cache.find('a');
    cache.drop(['a']);
    const after = cache.find('a');
    reads[0]?.resolve('from before the change');
    reads[1]?.resolve('from after it');
    expect(await after).toBe('from after it');
    expect(await cache.find('a')).toBe('from after it');
  });

  it('remembers no absence', async () => {
    const { cache, reads, known } = stage();
    const absent = cache.find('a');
    reads[0]?.resolve(undefined);
    expect(await absent).toBeUndefined();
    expect(await known('a')).toBe('a of read 2');
  });

  it('remembers no failure', async () => {
    const { cache, reads, known } = stage();
    const failing = cache.find('a');
    reads[0]?.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    expect(await known('a')).toBe('a of read 2');
  });

  it('holds no more than it may', async () => {
    const { cache, known } = stage(2);
    for (const name of ['a', 'b', 'c']) await known(name);
    expect([await cache.find('b'), await cache.find('c')]).toEqual(['b of read 2', 'c of read 3']);
    expect(await known('a')).toBe('a of read 4');
  });
});
