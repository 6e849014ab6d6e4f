import { expect, it } from 'vitest';
import { sideBySideWhile } from '#events/postgres-queue/side-by-side.ts';

function openWorks() {
  const place = { mayBe: true };
  const turn = sideBySideWhile(() => place.mayBe);
  const begun: string[] = [];
  const start = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const work = turn(() => {
      begun.push(name);
      return promise;
    });
    return { work, end: () => resolve(name), fail: () => reject(new Error(name)) };
  };
  return { place, begun, start };
}

const turned = () => new Promise(setImmediate);

it('lets works go side by side as long as they may', () => {
  const { begun, start } = openWorks();
  for (const name of ['a', 'b', 'c']) start(name);
  expect(begun).toEqual(['a', 'b', 'c']);
});

it('begins what may not go beside others after all that are under way, and one at a time', async () => {
  const { place, begun, start } = openWorks();
  const [a, b] = [start('a'), start('b')];
  place.mayBe = false;
  const [c, d] = [start('c'), start('d')];
  a.end();
  await turned();
  expect(begun).toEqual(['a', 'b']);
  b.end();
  await turned();
  expect(begun).toEqual(['a', 'b', 'c']);
  c.end();
  await turned();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  d.end();
  expect(await Promise.all([a.work, b.work, c.work, d.work])).toEqual(['a', 'b', 'c', 'd']);
});

it('goes on after one that failed, and fails for that one alone', async () => {
  const { place, begun, start } = openWorks();
  place.mayBe = false;
  const [a, b] = [start('a'), start('b')];
  a.fail();
  b.end();
  await expect(a.work).rejects.toThrow('a');
  expect(await b.work).toBe('b');
  expect(begun).toEqual(['a', 'b']);
});
