import { expect } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { bodiesOf, type Case } from './stage.ts';

const needs = ['merging'] as const;
const eventsOf = (deliveries: readonly { readonly eventId: string }[]) =>
  deliveries.map(({ eventId }) => eventId);
/** The same object, changed again. */
const change = (eventId: string, more: Partial<Outgoing> = {}) => {
  return { eventId, mergeKey: 'u1/false', ...more };
};

export const mergingCases: readonly Case[] = [
  {
    title: 'lets a waiting message stand for another one of its key, with the last event id',
    needs,
    async run({ queue, message, drain }) {
      await queue.send([message('g', 'a', change('e1'))]);
      await queue.send([message('g', 'a', change('e2'))]);
      expect(eventsOf(await drain())).toEqual(['e2']);
    },
  },
  {
    title: 'merges inside one batch',
    needs,
    async run({ queue, message, drain }) {
      const events = ['e1', 'e2', 'e3', 'e4', 'e5'];
      await queue.send(events.map((eventId) => message('g', 'a', change(eventId))));
      expect(eventsOf(await drain())).toEqual(['e5']);
    },
  },
  {
    title: 'keeps the place of the message that waits',
    needs,
    async run({ queue, message, drain }) {
      await queue.send([message('g', 'a', change('e1')), message('g', 'b', { mergeKey: 'u2' })]);
      await queue.send([message('g', 'a', change('e3'))]);
      expect(bodiesOf(await drain())).toEqual(['a', 'b']);
    },
  },
  ...(
    [
      ['the newer one', 5, 2],
      ['the older one', 2, 5],
    ] as const
  ).map(
    ([which, first, second]): Case => ({
      title: `takes the smaller attempt of two, ${which}'s`,
      needs,
      async run({ queue, message, receiveOne }) {
        await queue.send([message('g', 'a', change('e1', { attempt: first }))]);
        await queue.send([message('g', 'a', change('e2', { attempt: second }))]);
        expect((await receiveOne()).attempt).toBe(2);
      },
    }),
  ),
  {
    title: 'takes an attempt that is not stated for none',
    needs,
    async run({ queue, message, receiveOne }) {
      await queue.send([message('g', 'a', change('e1', { attempt: 4 }))]);
      await queue.send([message('g', 'a', change('e2'))]);
      expect((await receiveOne()).attempt).toBe(0);
    },
  },
  {
    title: 'merges nothing into a message that somebody holds',
    needs,
    async run({ queue, message, receiveOne }) {
      await queue.send([message('g', 'a', change('e1'))]);
      const held = await receiveOne();
      await queue.send([message('g', 'a', change('e2'))]);
      await queue.settle([held.receipt]);
      expect((await receiveOne()).eventId).toBe('e2');
    },
  },
  {
    title: 'merges behind a message that somebody holds',
    needs,
    async run({ queue, message, receiveOne, drain }) {
      await queue.send([message('g', 'a', change('e1'))]);
      const held = await receiveOne();
      await queue.send([message('g', 'a', change('e2'))]);
      await queue.send([message('g', 'a', change('e3'))]);
      await queue.settle([held.receipt]);
      expect(eventsOf(await drain())).toEqual(['e3']);
    },
  },
  ...(['its visibility ran out', 'it was released'] as const).map(
    (what): Case => ({
      title: `runs once more for what is sent to a message after ${what}`,
      needs,
      async run({ queue, advance, message, receiveOne, drain }) {
        await queue.send([message('g', 'a', change('e1'))]);
        const { receipt } = await receiveOne({ visibilityMs: 1_000 });
        if (what === 'it was released') await queue.release(receipt);
        else await advance(1_000);
        await queue.send([message('g', 'a', change('e2'))]);
        expect(await queue.settle([receipt])).toEqual([false]);
        expect(eventsOf(await drain())).toEqual(['e2']);
      },
    }),
  ),
  {
    title: 'never merges a deletion away',
    needs,
    async run({ queue, message, drain }) {
      await queue.send([message('g', 'changed', change('e1'))]);
      await queue.send([message('g', 'deleted', change('e2', { mergeKey: 'u1/true' }))]);
      await queue.send([message('g', 'recreated', change('e3', { mergeKey: 'u2/false' }))]);
      expect(bodiesOf(await drain())).toEqual(['changed', 'deleted', 'recreated']);
    },
  },
  ...(['one after another', 'in one batch'] as const).map(
    (how): Case => ({
      title: `merges nothing past the deletion of its object, which a restore brings back: ${how}`,
      needs,
      async run({ queue, message, drain }) {
        const of = (body: string, isDeleted: boolean, eventId: string) =>
          message('g', body, { eventId, subject: 'u1', mergeKey: `u1/${isDeleted}` });
        const sent = [
          of('changed', false, 'e1'),
          of('deleted', true, 'e2'),
          of('back', false, 'e3'),
          of('changed again', false, 'e4'),
        ];
        if (how === 'in one batch') await queue.send(sent);
        else for (const each of sent) await queue.send([each]);
        const delivered = await drain();
        expect(bodiesOf(delivered)).toEqual(['changed', 'deleted', 'back']);
        expect(eventsOf(delivered)).toEqual(['e1', 'e2', 'e4']);
      },
    }),
  ),
  {
    title: 'merges nothing into what waits past a deletion that comes in the same batch',
    needs,
    async run({ queue, message, drain }) {
      const of = (body: string, isDeleted: boolean, eventId: string) =>
        message('g', body, { eventId, subject: 'u1', mergeKey: `u1/${isDeleted}` });
      await queue.send([of('changed', false, 'e1')]);
      await queue.send([of('deleted', true, 'e2'), of('back', false, 'e3')]);
      expect(bodiesOf(await drain())).toEqual(['changed', 'deleted', 'back']);
    },
  },
  {
    title: 'merges past messages of other objects',
    needs,
    async run({ queue, message, drain }) {
      const of = (uid: string, eventId: string) =>
        message('g', uid, { eventId, subject: uid, mergeKey: `${uid}/false` });
      await queue.send([of('u1', 'e1'), of('u2', 'e2')]);
      await queue.send([of('u1', 'e3')]);
      expect(eventsOf(await drain())).toEqual(['e3', 'e2']);
    },
  },
  ...(
    [
      ['of another key', { mergeKey: 'u2/false' }, {}],
      ['where only the first has a key', {}, { mergeKey: undefined }],
      ['where only the second has a key', { mergeKey: undefined }, {}],
      ['without keys', { mergeKey: undefined }, { mergeKey: undefined }],
      ['of other groups', {}, { group: 'h' }],
      ['of keys that differ in case', {}, { mergeKey: 'U1/FALSE' }],
    ] as const satisfies readonly (readonly [string, Partial<Outgoing>, Partial<Outgoing>])[]
  ).map(
    ([what, first, second]): Case => ({
      title: `keeps messages apart ${what}`,
      needs,
      async run({ queue, message, drain }) {
        await queue.send([message('g', 'a', change('e1', first))]);
        await queue.send([message('g', 'b', change('e2', second))]);
        expect(bodiesOf(await drain()).toSorted()).toEqual(['a', 'b']);
      },
    }),
  ),
  {
    title: 'keeps messages of two functions apart that share group and key',
    needs,
    async run({ queue, functions: [one, two], message, drain }) {
      await queue.send([message('g', 'a', change('e1'))]);
      await queue.send([message('g', 'b', change('e2', { function: two }))]);
      expect(bodiesOf(await drain([one, two])).toSorted()).toEqual(['a', 'b']);
    },
  },
  {
    title: 'merges under a key of 1,000 characters',
    needs,
    async run({ queue, message, drain }) {
      const mergeKey = 'k'.repeat(1_000);
      await queue.send([message('g', 'a', change('e1', { mergeKey }))]);
      await queue.send([message('g', 'a', change('e2', { mergeKey }))]);
      await queue.send([message('g', 'b', change('e3', { mergeKey: `${mergeKey.slice(1)}x` }))]);
      expect(bodiesOf(await drain())).toEqual(['a', 'b']);
    },
  },
  {
    title:
      'has one run for a change that was sent by ten at the same time, or more, but none too few',
    needs,
    async run({ queue, message, drain }) {
      const sends = Array.from({ length: 10 }, (_, at) =>
        queue.send([message('g', 'a', change(`e${at}`))]),
      );
      await Promise.all(sends);
      expect(await drain()).toHaveLength(1);
    },
  },
];
