import { describe, expect, it } from 'vitest';
import { openSparing } from '#shared/runtime/sparing.ts';

function sparing(most?: number) {
  const time = { ms: 0 };
  const given = { now: () => time.ms, ...(most === undefined ? {} : { most }) };
  return { time, spare: openSparing(given) };
}

describe('a line that says the same', () => {
  it('is written at once, and a minute later with the count of those left out', () => {
    const { time, spare } = sparing();
    const said: unknown[] = [];
    for (time.ms = 0; time.ms <= 120_000; time.ms += 100) {
      const leftOut = spare('a');
      if (leftOut !== undefined) said.push([time.ms, leftOut]);
    }
    expect(said).toEqual([
      [0, {}],
      [60_000, { passedOver: 599 }],
      [120_000, { passedOver: 599 }],
    ]);
  });

  it('keeps no other one from being written', () => {
    const { spare } = sparing();
    expect([spare('a'), spare('b'), spare('a')]).toEqual([{}, {}, undefined]);
  });

  it('is written again when the clock went back by more than a minute', () => {
    const { time, spare } = sparing();
    time.ms = 1_000_000;
    spare('a');
    time.ms = 0;
    expect(spare('a')).toEqual({});
  });
});

describe('lines that all say something else', () => {
  it('are bounded, and the next one has the count of all that were left out', () => {
    const { time, spare } = sparing(2);
    expect(['a', 'b', 'c', 'd', 'b'].map(spare)).toEqual([{}, {}, ...Array(3).fill(undefined)]);
    time.ms = 60_000;
    // Both that were written are forgotten, one of which was left out once.
    expect(['e', 'f', 'g'].map(spare)).toEqual([{ othersPassedOver: 3 }, {}, undefined]);
  });
});
