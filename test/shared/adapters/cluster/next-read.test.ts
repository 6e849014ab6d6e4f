import { describe, expect, it } from 'vitest';
import { nextRead } from '#shared/adapters/cluster/next-read.ts';

function counted() {
  const reads: { readonly key: string; readonly answer: PromiseWithResolvers<string> }[] = [];
  const ask = nextRead((key) => {
    const answer = Promise.withResolvers<string>();
    reads.push({ key, answer });
    return answer.promise;
  });
  return { reads, ask };
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a read that is shared', () => {
  it('is one for all who ask at once, and another for those who ask while it is under way', async () => {
    const { reads, ask } = counted();
    const first = Promise.all([ask('a'), ask('a'), ask('a')]);
    await aTurn();
    const second = Promise.all([ask('a'), ask('a')]);
    await aTurn();
    expect(reads).toHaveLength(1);
    reads[0]?.answer.resolve('before');
    expect(await first).toEqual(['before', 'before', 'before']);
    await aTurn();
    expect(reads).toHaveLength(2);
    reads[1]?.answer.resolve('after');
    expect(await second).toEqual(['after', 'after']);
  });

  it('is of one key alone, and fails for those who share it and no others', async () => {
    const { reads, ask } = counted();
    const [one, other] = [ask('a').catch(String), ask('b')];
    await aTurn();
    reads[0]?.answer.reject(new Error('away'));
    expect(await one).toBe('Error: away');
    await aTurn();
    reads[1]?.answer.resolve('b');
    expect(await other).toBe('b');
    expect(reads.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
