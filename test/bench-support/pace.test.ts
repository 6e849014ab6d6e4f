import { describe, expect, it } from 'vitest';
import { paceOf } from '#test/bench/support/pace.ts';

describe('the pace of requests', () => {
  it('is a plan of its own: a stall does not move what was due', () => {
    const pace = paceOf({ requests: 10, seconds: 60, perSecond: 500 });
    pace.begin(1_000);
    expect(pace.due(1_000)).toBe(1);
    expect(pace.due(1_010)).toBe(6);
    expect([0, 5].map((index) => pace.dueAt(index, 9_999))).toEqual([1_000, 1_010]);
  });

  it('ends with the last request or with the time, whichever comes first', () => {
    const pace = paceOf({ requests: 10, seconds: 1 });
    pace.begin(0);
    expect(pace.isOver(999, 9)).toBe(false);
    expect(pace.isOver(999, 10)).toBe(true);
    expect(pace.isOver(1_000, 9)).toBe(true);
    expect(pace.due(1_000)).toBe(0);
  });
});
