import { describe, expect, it } from 'vitest';
import { isRowId, receiptFrom, receiptText } from '#events/postgres-queue/receipts.ts';

describe('receipts', () => {
  it('come back as they were', () => {
    const receipt = { id: '12', claims: 3, since: '1795904798507636' };
    expect(receiptFrom(receiptText(receipt))).toEqual(receipt);
  });

  it.each([
    '',
    '12',
    '12.3',
    '12..0',
    '12.3.',
    '.3.0',
    '012.3.0',
    '12.03.0',
    '12.3.01',
    '-1.3.0',
    '12.3.0 ',
    '1e3.1.0',
    `${'9'.repeat(19)}.1.0`,
  ])('are none where the text is "%s"', (text) => {
    expect(receiptFrom(text)).toBeUndefined();
  });
});

describe('row numbers', () => {
  it.each([
    ['7', true],
    ['9'.repeat(18), true],
    ['9'.repeat(19), false],
    ['0', false],
    ['7a', false],
    ['', false],
  ])('says whether "%s" is one', (text, expected) => {
    expect(isRowId(text)).toBe(expected);
  });
});
