import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '#shared/runtime/invoke/sqs-record.ts';
import { type Group, turnsOf } from '#shared/runtime/invoke/sqs-turns.ts';

/** `b/g/4`: the message b of the group g, handed over for the fourth time. */
function recordOf(text: string): SqsRecord {
  const [messageId = '', MessageGroupId = '', ApproximateReceiveCount = '1'] = text.split('/');
  return { messageId, body: '', attributes: { MessageGroupId, ApproximateReceiveCount } };
}

const idsOf = (groups: readonly Group[]) =>
  groups.map((group) => group.map(({ messageId }) => messageId).join(''));

describe('turnsOf', () => {
  it.each([
    ['all of them together at first', 'a/g b/h c/i', ['a', 'b', 'c'], []],
    ['together three times', 'a/g/3 b/h/3', ['a', 'b'], []],
    ['alone from the fourth time on', 'a/g/4 b/h/3', ['b'], ['a']],
    ['one of a group as the rest of it, in their order', 'b/g/4 a/g c/h', ['c'], ['ba']],
    ['forth', 'c/i/4 a/g/4 b/h/4', [], ['a', 'b', 'c']],
    ['and back', 'c/i/5 a/g/5 b/h/5', [], ['c', 'b', 'a']],
  ])('has %s', (_, records, together, alone) => {
    const turns = turnsOf(records.split(' ').map(recordOf));
    expect([idsOf(turns.together), idsOf(turns.alone)]).toEqual([together, alone]);
  });
});
