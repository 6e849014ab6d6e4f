import { expect } from 'vitest';
import { bodiesOf, type Case, counted, groupsOf } from './stage.ts';

const needs = ['transactions'] as const;
const mergeable = ['transactions', 'merging'] as const;
const change = (eventId: string) => {
  return { eventId, mergeKey: 'u1/false' };
};

export const transactionCases: readonly Case[] = [
  {
    title: 'shows what was sent when the transaction commits, and not before',
    needs,
    async run({ begin, message, receive }) {
      const transaction = await begin();
      await transaction.send([message('g', 'a')]);
      expect(await receive()).toEqual([]);
      await transaction.commit();
      expect(bodiesOf(await receive())).toEqual(['a']);
    },
  },
  {
    title: 'sends nothing of a transaction that is rolled back',
    needs,
    async run({ begin, message, send, drain }) {
      const transaction = await begin();
      await transaction.send([message('g', 'a'), message('h', 'b')]);
      await transaction.rollback();
      await send('g', 'c');
      expect(bodiesOf(await drain())).toEqual(['c']);
    },
  },
  {
    title: 'sends everything that was sent in several steps of a transaction, in order',
    needs,
    async run({ begin, message, drain }) {
      const transaction = await begin();
      for (const body of counted('m', 4)) await transaction.send([message('g', body)]);
      await transaction.commit();
      expect(bodiesOf(await drain())).toEqual(counted('m', 4));
    },
  },
  {
    title: 'sends what is added to a group that somebody works on',
    needs,
    async run({ begin, queue, message, send, receiveOne }) {
      await send('g', 'a');
      const held = await receiveOne();
      const transaction = await begin();
      await transaction.send([message('g', 'b')]);
      const settled = queue.settle([held.receipt]);
      await transaction.commit();
      expect(await settled).toEqual([true]);
      expect((await receiveOne()).body).toBe('b');
    },
  },
  ...(['commits', 'rolls back'] as const).map(
    (end): Case => ({
      title: `lets a second transaction into a group after the first one ${end}`,
      needs,
      async run({ begin, message, drain }) {
        const [first, second] = [await begin(), await begin()];
        await first.send([message('g', 'first')]);
        const sent = second.send([message('g', 'second')]).then(() => second.commit());
        if (end === 'commits') await first.commit();
        else await first.rollback();
        await sent;
        const expected = end === 'commits' ? ['first', 'second'] : ['second'];
        expect(bodiesOf(await drain())).toEqual(expected);
      },
    }),
  ),
  {
    title: 'orders a group by who sent first, not by who began first',
    needs,
    async run({ begin, message, drain }) {
      const [early, late] = [await begin(), await begin()];
      await late.send([message('g', 'late')]);
      await late.commit();
      await early.send([message('g', 'early')]);
      await early.commit();
      expect(bodiesOf(await drain())).toEqual(['late', 'early']);
    },
  },
  {
    title: 'never hands over the second of a group while the first is not committed',
    needs,
    async run({ begin, message, receive, drain }) {
      const [first, second] = [await begin(), await begin()];
      await first.send([message('g', 'first')]);
      const sent = second.send([message('g', 'second')]).then(() => second.commit());
      // Time enough for the second one, if nothing held it.
      for (const _ of counted('look', 5)) expect(await receive()).toEqual([]);
      await first.commit();
      await sent;
      expect(bodiesOf(await drain())).toEqual(['first', 'second']);
    },
  },
  {
    title: 'makes a send without a transaction wait for the one that has the group',
    needs,
    async run({ begin, message, send, drain }) {
      const transaction = await begin();
      await transaction.send([message('g', 'in it')]);
      const sent = send('g', 'outside');
      await transaction.commit();
      await sent;
      expect(bodiesOf(await drain())).toEqual(['in it', 'outside']);
    },
  },
  {
    title: 'lets transactions of different groups pass each other',
    needs,
    async run({ begin, message, receive }) {
      const [slow, quick] = [await begin(), await begin()];
      await slow.send([message('g', 'slow')]);
      await quick.send([message('h', 'quick')]);
      await quick.commit();
      expect(bodiesOf(await receive())).toEqual(['quick']);
      await slow.commit();
      expect(bodiesOf(await receive())).toEqual(['slow']);
    },
  },
  {
    title: 'goes on with other groups while one is in a transaction',
    needs,
    async run({ begin, message, send, receive }) {
      await send('h', 'b');
      const transaction = await begin();
      await transaction.send([message('g', 'a')]);
      expect(groupsOf(await receive())).toEqual(['h']);
      await transaction.rollback();
    },
  },
  {
    title: 'ends two transactions that send to the same groups in opposite order',
    needs,
    async run({ begin, message, drain }) {
      const groups = counted('g', 6);
      const sendAll = async (order: readonly string[], body: string) => {
        const transaction = await begin();
        await transaction.send(order.map((group) => message(group, body)));
        await transaction.commit();
      };
      const rounds = counted('r', 5).flatMap((round) => [
        sendAll(groups, `${round} up`),
        sendAll(groups.toReversed(), `${round} down`),
      ]);
      await Promise.all(rounds);
      expect(await drain()).toHaveLength(60);
    },
  },
  {
    title: 'refuses what cannot be sent in a transaction as well',
    needs,
    async run({ begin, message, receive }) {
      const transaction = await begin();
      await expect(transaction.send([message('g', 'a'), message('g', '\0')])).rejects.toThrow(/./);
      await transaction.rollback();
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'hands over no message that an open transaction merges into',
    needs: mergeable,
    async run({ begin, queue, message, receive, receiveOne }) {
      await queue.send([message('g', 'a', change('e1'))]);
      const transaction = await begin();
      await transaction.send([message('g', 'a', change('e2'))]);
      expect(await receive()).toEqual([]);
      await transaction.commit();
      expect((await receiveOne()).eventId).toBe('e2');
    },
  },
  {
    title: 'has the waiting message as it was when a merge is rolled back',
    needs: mergeable,
    async run({ begin, queue, message, drain }) {
      await queue.send([message('g', 'a', change('e1'))]);
      const transaction = await begin();
      await transaction.send([message('g', 'a', change('e2'))]);
      await transaction.rollback();
      expect((await drain()).map(({ eventId }) => eventId)).toEqual(['e1']);
    },
  },
  {
    title: 'merges within a transaction what it sent itself',
    needs: mergeable,
    async run({ begin, message, drain }) {
      const transaction = await begin();
      for (const eventId of ['e1', 'e2', 'e3']) {
        await transaction.send([message('g', 'a', change(eventId))]);
      }
      await transaction.commit();
      expect((await drain()).map(({ eventId }) => eventId)).toEqual(['e3']);
    },
  },
  {
    title: 'runs after the commit for a change that was merged while somebody claimed the message',
    needs: mergeable,
    async run({ begin, queue, message, receive, drain }) {
      for (const round of counted('g', 8)) {
        await queue.send([message(round, 'a', change('e1'))]);
        const transaction = await begin();
        const [claimed] = await Promise.all([
          receive(),
          transaction.send([message(round, 'a', change('e2'))]),
        ]);
        await transaction.commit();
        await queue.settle(claimed.map(({ receipt }) => receipt));
        const after = await drain();
        expect(after.map(({ eventId }) => eventId)).toEqual(['e2']);
      }
    },
  },
  {
    title: 'merges what two transactions send one after the other',
    needs: mergeable,
    async run({ begin, message, drain }) {
      const [first, second] = [await begin(), await begin()];
      await first.send([message('g', 'a', change('e1'))]);
      const sent = second.send([message('g', 'a', change('e2'))]).then(() => second.commit());
      await first.commit();
      await sent;
      expect((await drain()).map(({ eventId }) => eventId)).toEqual(['e2']);
    },
  },
];
