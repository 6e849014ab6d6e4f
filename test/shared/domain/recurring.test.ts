import { describe, expect, it } from 'vitest';
import { recurring } from '#shared/domain/recurring.ts';

function counting() {
  const asked: string[] = [];
  const found = recurring((text) => {
    asked.push(text);
    return text === 'nothing' ? undefined : text.length;
  });
  return { asked, found };
}

describe('what recurs', () => {
  it('is made once, nothing among it', () => {
    const { asked, found } = counting();
    for (const text of ['one', 'nothing', 'one', 'nothing']) found(text);
    expect([found('one'), found('nothing')]).toEqual([3, undefined]);
    expect(asked).toEqual(['one', 'nothing']);
  });

  it('is forgotten where nobody asks for it while there are so many others', () => {
    const { asked, found } = counting();
    for (let count = 0; count < 2_000; count += 1) {
      found(`text ${count}`);
      found('asked for');
    }
    expect(asked).toHaveLength(2_001);
    found('text 0');
    expect(asked).toHaveLength(2_002);
  });

  it('is made anew where it is long: nobody fills our memory with it', () => {
    const { asked, found } = counting();
    const text = 'x'.repeat(513);
    expect([found(text), found(text)]).toEqual([513, 513]);
    expect(asked).toHaveLength(2);
  });
});
