import { describe, expect, it } from 'vitest';
import { firstsOf, mergeWithin } from '#events/postgres-queue/merging.ts';
import type { Outgoing } from '#events/queue.ts';

function message(body: string, more: Partial<Outgoing> = {}): Outgoing {
  return { function: 'f', group: 'g', type: 't.v1', body, eventId: `event of ${body}`, ...more };
}

const change = { mergeKey: 'u1/false' };

describe('what a batch merges by itself', () => {
  it('keeps the place of the first, with the cause of the last', () => {
    const merged = mergeWithin([message('a', change), message('b'), message('c', change)]);
    expect(merged).toEqual([
      { ...message('a', change), eventId: 'event of c', attempt: 0 },
      message('b'),
    ]);
  });

  it.each<[string, Partial<Outgoing>, Partial<Outgoing>]>([
    ['without keys', {}, {}],
    ['of another key', change, { mergeKey: 'u1/true' }],
    ['of another group', change, { ...change, group: 'h' }],
    ['of another function', change, { ...change, function: 'e' }],
    ['whose names only look the same', { ...change, function: 'f', group: '"g' }, change],
  ])('keeps messages apart %s', (_, one, other) => {
    const messages = [message('a', one), message('b', other)];
    expect(mergeWithin(messages)).toEqual(messages);
  });

  it('merges nothing past another message of its subject', () => {
    const subject = 'u1';
    const messages = [
      message('a', { ...change, subject }),
      message('b', { mergeKey: 'u1/true', subject }),
      message('c', { ...change, subject }),
    ];
    expect(mergeWithin(messages)).toEqual(messages);
    expect(firstsOf(messages)).toEqual([true, false, false]);
  });

  it('takes the smaller attempt', () => {
    const [merged] = mergeWithin([
      message('a', { ...change, attempt: 3 }),
      message('b', { ...change, attempt: 2 }),
    ]);
    expect(merged?.attempt).toBe(2);
  });
});
