import { describe, expect, it } from 'vitest';
import { stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
/** The clock stands at the beginning of 2030. */
const [inTwoWeeks, inThree] = ['2030-01-14T23:59:00Z', '2030-01-22T00:00:00Z'];

async function remarksOn(ends: Readonly<Record<string, string>>, warnBefore?: string) {
  const notary = warnBefore === undefined ? {} : { warnBefore };
  const { world, replica } = stage({ imageTrust: { notary } });
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest }, { ends });
  const judged = await replica().one(`${gun}:1.0`);
  if (judged.kind !== 'trusted') throw new Error(JSON.stringify(judged));
  return judged.remarks;
}

describe('what has to be signed anew within two weeks', () => {
  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['targets', { targets: inTwoWeeks }, true],
    ['a snapshot', { snapshot: inTwoWeeks }, true],
    ['a root', { root: inTwoWeeks }, true],
    ['targets that last longer', { targets: inThree }, false],
    ['a timestamp, which its server renews', { timestamp: inTwoWeeks }, false],
  ])('is told of %s', async (_, ends, isTold) => {
    expect((await remarksOn(ends)).includes('expiring')).toBe(isTold);
  });

  it.each([
    ['0', { targets: inTwoWeeks }, false],
    ['24h', { targets: inTwoWeeks }, false],
    ['600h', { targets: inThree }, true],
  ])('is told as early as is configured: %s', async (warnBefore, ends, isTold) => {
    expect((await remarksOn(ends, warnBefore)).includes('expiring')).toBe(isTold);
  });
});
