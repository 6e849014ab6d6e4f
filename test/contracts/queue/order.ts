import { expect } from 'vitest';
import { bodiesIn, bodiesOf, type Case, counted, groupsOf } from './stage.ts';

const five = counted('m', 5);

export const orderCases: readonly Case[] = [
  {
    title: 'hands over what was sent as it was sent',
    async run({ name, queue, message, receiveOne }) {
      await queue.send([message('g', 'body', { eventId: 'u/7/MODIFIED', attempt: 3 })]);
      expect(await receiveOne()).toMatchObject({
        function: name,
        group: 'g',
        type: 'tested.v1',
        body: 'body',
        eventId: 'u/7/MODIFIED',
        attempt: 3,
        received: 1,
      });
    },
  },
  {
    title: 'counts no attempt where none is stated',
    async run({ send, receiveOne }) {
      await send('g', 'a');
      expect((await receiveOne()).attempt).toBe(0);
    },
  },
  {
    title: 'runs a batch of one group in the order given',
    async run({ send, drain }) {
      await send('g', ...five);
      expect(bodiesOf(await drain())).toEqual(five);
    },
  },
  {
    title: 'runs what was sent one by one in the order of the sends',
    async run({ send, drain }) {
      for (const body of five) await send('g', body);
      expect(bodiesOf(await drain())).toEqual(five);
    },
  },
  {
    title: 'keeps the order of each group of a batch that mixes them',
    async run({ queue, message, drain }) {
      const mixed = five.flatMap((body) => [message('g', `g${body}`), message('h', `h${body}`)]);
      await queue.send(mixed);
      const all = await drain();
      expect(bodiesIn(all, 'g')).toEqual(five.map((body) => `g${body}`));
      expect(bodiesIn(all, 'h')).toEqual(five.map((body) => `h${body}`));
    },
  },
  {
    title: 'has one message of a group in flight at a time',
    async run({ send, receive, receiveOne }) {
      await send('g', 'a', 'b');
      expect((await receiveOne()).body).toBe('a');
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'hands over one of each group at once',
    async run({ queue, message, receive }) {
      await queue.send(
        ['g', 'h', 'i'].flatMap((group) => [message(group, '1'), message(group, '2')]),
      );
      const received = await receive();
      expect(groupsOf(received)).toEqual(['g', 'h', 'i']);
      expect(bodiesOf(received)).toEqual(['1', '1', '1']);
    },
  },
  {
    title: 'goes on with the group after settle',
    async run({ queue, send, receiveOne }) {
      await send('g', 'a', 'b');
      await queue.settle([(await receiveOne()).receipt]);
      expect((await receiveOne()).body).toBe('b');
    },
  },
  {
    title: 'goes on with the same message after its visibility ran out',
    async run({ advance, send, receive, receiveOne, drain }) {
      await send('g', 'a', 'b');
      await receiveOne({ visibilityMs: 5_000 });
      await advance(5_000);
      expect(bodiesOf(await receive())).toEqual(['a']);
      await advance(60_000);
      expect(bodiesOf(await drain())).toEqual(['a', 'b']);
    },
  },
  {
    title: 'keeps a group blocked until the very end of the visibility',
    async run({ advance, send, receive, receiveOne }) {
      await send('g', 'a');
      await receiveOne({ visibilityMs: 60_000 });
      await advance(50_000);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'goes on with the group after bury',
    async run({ queue, send, receiveOne }) {
      await send('g', 'a', 'b');
      await queue.bury((await receiveOne()).receipt, 'no use');
      expect((await receiveOne()).body).toBe('b');
    },
  },
  {
    title: 'goes on with the same message after a release',
    async run({ queue, send, receiveOne, drain }) {
      await send('g', 'a', 'b', 'c');
      await queue.release((await receiveOne()).receipt);
      expect(bodiesOf(await drain())).toEqual(['a', 'b', 'c']);
    },
  },
  {
    title: 'runs both of an object that was deleted and recreated under one name, in order',
    async run({ queue, message, drain }) {
      await queue.send([
        message('pods/web', 'old', { eventId: 'u1/5/DELETED', mergeKey: 'u1/true' }),
      ]);
      await queue.send([
        message('pods/web', 'new', { eventId: 'u2/6/ADDED', mergeKey: 'u2/false' }),
      ]);
      expect(bodiesOf(await drain())).toEqual(['old', 'new']);
    },
  },
  {
    title:
      'runs the same object as often as it is woken, five times in five minutes without a new version',
    async run({ queue, message, drain, advance }) {
      const runs: string[] = [];
      for (const turn of counted('turn', 5)) {
        await queue.send([message('g', turn, { eventId: 'u/7/MODIFIED', mergeKey: 'u/false' })]);
        runs.push(...bodiesOf(await drain()));
        await advance(60_000);
      }
      expect(runs).toEqual(counted('turn', 5));
    },
  },
  {
    title: 'runs two messages of one event that may not be merged',
    async run({ queue, message, drain }) {
      const same = { eventId: 'u/7/MODIFIED' };
      await queue.send([message('g', 'a', same), message('g', 'a', same)]);
      await queue.send([message('g', 'a', same)]);
      expect(bodiesOf(await drain())).toEqual(['a', 'a', 'a']);
    },
  },
  {
    title: 'tells the messages of a group apart by their ids',
    async run({ send, drain }) {
      await send('g', 'a', 'a', 'a');
      expect(new Set((await drain()).map(({ id }) => id)).size).toBe(3);
    },
  },
  {
    title: 'keeps the id and counts the receiving up when it hands a message over again',
    async run({ advance, send, receiveOne }) {
      await send('g', 'a');
      const first = await receiveOne({ visibilityMs: 1_000 });
      await advance(1_000);
      const second = await receiveOne();
      expect(second).toMatchObject({ id: first.id, received: 2 });
      expect(second.receipt).not.toBe(first.receipt);
    },
  },
  {
    title: 'says for how long a message has been waiting',
    async run({ advance, send, receiveOne }) {
      await send('g', 'a');
      await advance(7_000);
      const { waitedMs } = await receiveOne();
      expect(waitedMs).toBeGreaterThanOrEqual(7_000);
      expect(waitedMs).toBeLessThan(12_000);
    },
  },
];
