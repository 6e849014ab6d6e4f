import { describe, expect, it } from 'vitest';
import { functionsIn, noticeText } from '#events/postgres-queue/telling.ts';

describe('a notice', () => {
  it('names each function once, whatever their order', () => {
    expect(functionsIn(noticeText(['b', 'a', 'b']))).toEqual(['a', 'b']);
    expect(noticeText(['b', 'a'])).toBe(noticeText(['a', 'b', 'a']));
  });

  it.each([
    [
      'too many functions for one notice',
      noticeText(Array.from({ length: 900 }, (_, at) => `function-${at}`)),
    ],
    ['no JSON', '{'],
    ['JSON of somebody else', '{"a":1}'],
  ])('concerns everybody where it is %s', (_, notice) => {
    expect(functionsIn(notice)).toBeUndefined();
  });
});
