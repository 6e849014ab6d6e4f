import { describe, expect, it } from 'vitest';
import { arrayText } from '#shared/domain/array-text.ts';

describe('the text of an array', () => {
  it.each([
    [[], '{}'],
    [['a', ''], '{a,""}'],
    [['local//pods label app=a', '7'], '{local//pods label app=a,7}'],
    [[null, 'null', 'NULL'], '{null,"null","NULL"}'],
    [[' a', 'a ', 'a  b', 'a\tb'], '{" a","a ","a  b","a\tb"}'],
    [['"\\{},'], '{"\\"\\\\{},"}'],
  ])('of %j is %s', (items, text) => {
    expect(arrayText(items)).toBe(text);
  });
});
