import { expect } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { noise } from '#test/support/noise.ts';
import { bodiesOf, type Case } from './stage.ts';

const mebibyte = 1_048_576;
const every = (from: number, to: number): string =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, at) => from + at));

/** What somewhere between here and there is escaped, folded, trimmed, cut or taken for something else. */
const bodies: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['one space', ' '],
  ['a word', 'word'],
  ['JSON', '{"kind":"object","uid":"u1","deleted":false}'],
  [
    'JSON in JSON in JSON',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: '"\\' }) }) }),
  ],
  ['JSON with spaces and line breaks', '{ "a" : 1,\n\t"b" : [ ] }\n'],
  ['JSON with a key twice', '{"a":1,"a":2}'],
  ['JSON with numbers as keys', '{"b":1,"2":2,"1":1}'],
  ['JSON with a key called __proto__', '{"__proto__":{"a":1},"constructor":null}'],
  ['numbers that no double holds', '[1e400,-0,0.1000,12345678901234567890]'],
  ['JSON that is only null', 'null'],
  ['JSON that is only a text', '"text"'],
  ['broken JSON', '{"a":'],
  ['a thousand brackets', '['.repeat(1_000)],
  ['every control character but NUL', every(0x01, 0x1f)],
  ['DEL and the second set of controls', every(0x7f, 0x9f)],
  ['the text of a NUL, escaped', '\\u0000 \\x00 %00 &#0;'],
  ['line breaks of all kinds', 'a\r\nb\rc\nd\u2028e\u2029f\u0085g\v\f'],
  ['a byte order mark on both ends', '\ufefftext\ufeff'],
  ['what XML does not have', 'a\ufffeb\uffffc'],
  ['the character for broken ones', '\ufffd'],
  ['non-characters of the higher planes', '\u{1fffe}\u{10ffff}\ufdd0'],
  ['emoji with joiners and skin', '👩🏽‍🚀🏳️‍🌈🦊'],
  ['letters written in two ways', 'o\u0308 \u00f6 \u1e9b\u0323'],
  ['writing from the right, with marks', '\u202eمرحبا\u202c \u200f'],
  ['a hundred accents on one letter', `a${'\u0301'.repeat(100)}`],
  ['quotes, backslashes and dollars', `'"\`\\\\$1 $$ \${x} %s {}`],
  ['what reads like SQL', `'); DROP TABLE queue_messages; --`],
  ['what reads like markup', ']]>&amp;<x y="z"/>'],
  ['spaces on both ends', '  a  \n'],
  ['base64', 'SGVsbG8='],
];

const large: readonly (readonly [string, string])[] = [
  ['1 MiB of letters', 'x'.repeat(mebibyte)],
  ['1 MiB in four bytes each', '🦊'.repeat(mebibyte / 4)],
  ['1 MiB of quotes', '"'.repeat(mebibyte)],
  ['1 MiB of JSON', JSON.stringify('y'.repeat(mebibyte - 2))],
];

export const bodyCases: readonly Case[] = [
  ...[...bodies, ...large].map(
    ([what, body]): Case => ({
      title: `keeps every byte of a body of ${what}`,
      async run({ send, receiveOne }) {
        await send('g', body);
        expect((await receiveOne()).body === body).toBe(true);
      },
    }),
  ),
  {
    title: 'takes the longest group and merge key that it does not refuse',
    async run({ queue, message, receiveOne }) {
      const [group, mergeKey] = [noise(1_000), noise(1_000)];
      await queue.send([message(group, 'a', { mergeKey }), message(group, 'a', { mergeKey })]);
      expect((await receiveOne()).group).toBe(group);
    },
  },
];

type Refused = readonly [string, Partial<Outgoing>];

const refused: readonly Refused[] = [
  ['a NUL in its body', { body: 'a\0b' }],
  ['a NUL at the end of its body', { body: 'a\0' }],
  ['the first half of a character in its body', { body: 'a\ud83e' }],
  ['the second half of a character in its body', { body: '\udd8aa' }],
  ['two halves in the wrong order in its body', { body: '\udd8a\ud83e' }],
  ['a NUL in its group', { group: 'g\0' }],
  ['half a character in its group', { group: '\ud83e' }],
  ['a NUL in its event id', { eventId: 'u\0' }],
  ['half a character in its event id', { eventId: '\ud83e' }],
  ['a NUL in its merge key', { mergeKey: 'u\0' }],
  ['a NUL in its type', { type: 'x\0.v1' }],
  ['a group of more than 1,000 characters', { group: 'x'.repeat(1_001) }],
  ['a group of no characters', { group: '' }],
  ['an event id of more than 1,000 characters', { eventId: 'x'.repeat(1_001) }],
  ['a merge key of more than 2,000 bytes', { mergeKey: '日'.repeat(700) }],
  [
    'a group and a merge key of more bytes together',
    { group: noise(1_000), mergeKey: `${noise(999)}ö` },
  ],
  ['the name of a function of more than 500 bytes', { function: noise(501) }],
];

export const refusedCases: readonly Case[] = refused.map(([what, more]) => ({
  title: `refuses a message with ${what}, and sends nothing of its batch`,
  async run({ queue, message, send, drain }) {
    const bad = message('bad', 'bad', more);
    const sent = queue.send([message('g', 'before'), bad, message('g', 'after')]);
    await expect(sent).rejects.toThrow(/./);
    await send('g', 'good');
    expect(bodiesOf(await drain())).toEqual(['good']);
  },
}));
