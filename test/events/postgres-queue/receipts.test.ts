import { describe, expect, it } from 'vitest';
import { isRowId, receiptFrom, receiptText } from '#events/postgres-queue/receipts.ts';

describe('receipts', () => {
  it('come back as they were', () => {
    expect(receiptFrom(receiptText({ id: '12', claims: 3 }))).toEqual({ id: '12', claims: 3 });
  });

  it.each([
    '',
    '12',
    '12.',
    '.3',
    '012.3',
    '12.03',
    '-1.3',
    '12.3 ',
    '1e3.1',
    `${'9'.repeat(19)}.1`,
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
