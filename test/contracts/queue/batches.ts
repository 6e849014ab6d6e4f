import { expect } from 'vitest';
import { bodiesIn, bodiesOf, type Case, counted } from './stage.ts';

const long = 'x'.repeat(999);

/** Groups that a server may have to write in another way. */
const groups: readonly (readonly [string, string])[] = [
  ['one letter', 'g'],
  ['127 characters', 'x'.repeat(127)],
  ['128 characters', 'x'.repeat(128)],
  ['129 characters', 'x'.repeat(129)],
  ['1,000 characters', `${long}y`],
  ['a path', 'follow-pool/prod/pods.v1/team-a/web-0'],
  ['spaces and line breaks', ' a b\n\tc '],
  ['punctuation', '%_\\\'"`;:--/*{}[]()<>|&$#@!?^~'],
  ['letters of other scripts', 'größe/日本/مرحبا'],
  ['250 emoji', '🦊'.repeat(250)],
];

/** Groups that must not be taken for each other. */
const pairs: readonly (readonly [string, string, string])[] = [
  ['in the last of 1,000 characters', `${long}a`, `${long}b`],
  ['in case', 'Group', 'group'],
  ['in a space at the end', 'group', 'group '],
  ['in how an umlaut is written', 'o\u0308', '\u00f6'],
  ['in what an encoding may drop', 'a/b', 'a_b'],
];

export const batchCases: readonly Case[] = [
  {
    title: 'sends no messages without a word',
    async run({ queue, receive }) {
      await queue.send([]);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'sends a batch of a hundred over ten groups',
    async run({ queue, message, drain }) {
      const names = counted('g', 10);
      const bodies = counted('m', 10);
      await queue.send(bodies.flatMap((body) => names.map((group) => message(group, body))));
      const all = await drain();
      expect(all).toHaveLength(100);
      for (const group of names) expect(bodiesIn(all, group)).toEqual(bodies);
    },
  },
  {
    title: 'has each message of a batch in its own group, in whatever order their names are sorted',
    async run({ queue, message, drain }) {
      const names = [
        'b',
        'B',
        'a',
        'A',
        'Z',
        'ä',
        '10',
        '2',
        'a b',
        'a-b',
        'aB',
        '_',
        'é/1',
        'e/2',
      ];
      await queue.send(names.map((group) => message(group, `of ${group}`)));
      const found = (await drain()).map(({ group, body }) => [group, body]);
      expect(found.toSorted()).toEqual(names.map((group) => [group, `of ${group}`]).toSorted());
    },
  },
  {
    title: 'sends twenty-four of one group in one batch, in order',
    async run({ send, drain }) {
      await send('g', ...counted('m', 24));
      expect(bodiesOf(await drain())).toEqual(counted('m', 24));
    },
  },
  {
    title: 'takes sends of several groups at the same time',
    async run({ send, drain }) {
      await Promise.all(counted('g', 10).map((group) => send(group, 'a', 'b')));
      const all = await drain();
      for (const group of counted('g', 10)) expect(bodiesIn(all, group)).toEqual(['a', 'b']);
    },
  },
  {
    title: 'keeps each batch of one group together when several are sent at the same time',
    async run({ send, drain }) {
      await Promise.all(counted('s', 5).map((sender) => send('g', `${sender} 1`, `${sender} 2`)));
      const bodies = bodiesOf(await drain());
      for (const sender of counted('s', 5)) {
        expect(bodies.indexOf(`${sender} 2`)).toBe(bodies.indexOf(`${sender} 1`) + 1);
      }
    },
  },
  ...groups.map(
    ([what, group]): Case => ({
      title: `takes a group of ${what} as it is`,
      async run({ send, receiveOne, queue }) {
        await send(group, 'a', 'b');
        const first = await receiveOne();
        expect(first.group).toBe(group);
        await queue.settle([first.receipt]);
        expect((await receiveOne()).body).toBe('b');
      },
    }),
  ),
  ...pairs.map(
    ([what, one, other]): Case => ({
      title: `tells groups apart that differ only ${what}`,
      async run({ send, receive }) {
        await send(one, 'a');
        await send(other, 'b');
        expect(bodiesOf(await receive()).toSorted()).toEqual(['a', 'b']);
      },
    }),
  ),
];
