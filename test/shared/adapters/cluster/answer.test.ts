import { describe, expect, it } from 'vitest';
import { answerFrom } from '#shared/adapters/cluster/answer.ts';

function secondsOf(retryAfter: string | undefined, details?: string): number | undefined {
  const text = details === undefined ? '' : `{"kind":"Status","details":${details}}`;
  return answerFrom({ status: 503, retryAfter, text }, { discreet: false }).afterSeconds;
}

describe('the seconds that a server asks to be left alone', () => {
  it.each<[string, string | undefined, string | undefined, number | undefined]>([
    ['are those of the header', '7', undefined, 7],
    ['are those of the body before those of the header', '7', '{"retryAfterSeconds":3}', 3],
    ['are a minute at most, by the header', '86400', undefined, 60],
    ['are a minute at most, by a header of any length', '2592000', undefined, 60],
    ['are a minute at most, by the body', undefined, '{"retryAfterSeconds":2592000}', 60],
    ['are none at least', undefined, '{"retryAfterSeconds":-60}', 0],
    ['are not known by a date', 'Fri, 31 Dec 1999 23:59:59 GMT', undefined, undefined],
    ['are not known where nothing is said', undefined, '{}', undefined],
  ])('%s', (_, header, details, expected) => {
    expect(secondsOf(header, details)).toBe(expected);
  });
});
