import { describe, expect, it } from 'vitest';
import { openSimilarEvents } from '#infra/emulator/controllers/frame/similar-events.ts';

describe('similar events', () => {
  const notes = Array.from({ length: 12 }, (_, at) => `Created pod: ${at}`);

  it('are told one by one up to the ninth, and then together', () => {
    const isOneOfMany = openSimilarEvents();
    const combined = notes.filter((note) => isOneOfMany('a', note, 0));
    expect(combined).toEqual(notes.slice(9));
  });

  it('are each counted by itself where the words are the same', () => {
    const isOneOfMany = openSimilarEvents();
    expect(notes.filter(() => isOneOfMany('a', 'same', 0))).toEqual([]);
  });

  it('are forgotten after ten minutes, and by whom they are not about', () => {
    const isOneOfMany = openSimilarEvents();
    for (const note of notes) isOneOfMany('a', note, 0);
    expect(isOneOfMany('b', 'new', 0)).toBe(false);
    expect(isOneOfMany('a', 'new', 600_000)).toBe(true);
    expect(isOneOfMany('a', 'newer', 1_200_001)).toBe(false);
  });
});
