import { describe, expect, it } from 'vitest';
import { isDearToParse } from '#shared/adapters/cluster/parsed-size.ts';

const mebibyte = 1024 * 1024;
const most = 12 * mebibyte;

const filled = (part: string, bytes: number) =>
  Buffer.from(`[${part.repeat(bytes / part.length)}0]`);
const pair = '{"2j5k":1},';
/** As a schema or a report is. */
const thing =
  '{"name":"name-1","type":"string","description":"what 1 is for","nested":{"required":true,"at":1}},';
const quoted = `${JSON.stringify('{},"\\'.repeat(100_000))},`;

describe('what is dear to parse', () => {
  it.each<[string, Buffer, boolean]>([
    ['1.4 MiB of {}', filled('{},', 1.4 * mebibyte), true],
    ['half a MiB of them', filled('{},', 0.49 * mebibyte), false],
    ['1.4 MiB of objects of one field each', filled(pair, 1.4 * mebibyte), true],
    ['0.9 MiB of them', filled(pair, 0.9 * mebibyte), false],
    ['3.5 MiB of numbers', filled('1,', 3.5 * mebibyte), true],
    ['2 MiB of numbers', filled('1,', 2 * mebibyte), false],
    ['3.2 MiB of small things', filled(thing, 3.2 * mebibyte), false],
    ['4 MiB of texts that have all that', filled(quoted, 4 * mebibyte), false],
    [
      'texts with {} behind them',
      Buffer.concat([filled(quoted, 1), filled('{},', mebibyte)]),
      true,
    ],
  ])('says of %s', (_, text, isDear) => {
    expect(isDearToParse(text, most)).toBe(isDear);
  });
});
