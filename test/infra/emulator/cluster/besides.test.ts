import { expect, it } from 'vitest';
import { refusingWrites } from '#infra/emulator/cluster/serving/besides.ts';

const exchange = {} as Parameters<ReturnType<typeof refusingWrites>>[1];
const asking = (verb: string) => ({ verb }) as Parameters<ReturnType<typeof refusingWrites>>[0];

it.each([
  ['create', 503],
  ['patch', 503],
  ['delete', 503],
  ['list', undefined],
  ['watch', undefined],
])('where the disk is full, a %s is answered with %s', async (verb, code) => {
  const answer = await refusingWrites(() => 'ENOSPC: no space left on device')(
    asking(verb),
    exchange,
  );
  expect(answer === undefined || answer === 'answered' ? undefined : answer.code).toBe(code);
  expect(await refusingWrites(() => undefined)(asking(verb), exchange)).toBeUndefined();
});
