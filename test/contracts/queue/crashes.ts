import { expect } from 'vitest';
import { crashed, maxReceived, suspectAfter } from '#events/queue.ts';
import { bodiesOf, type Case, counted, receiptsOf, type Stage } from './stage.ts';

/** Received, and never heard of again. */
async function crash({ receiveOne, advance }: Stage, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await receiveOne({ visibilityMs: 1_000 });
    await advance(1_000);
  }
}

/** One life of a process: it receives and settles until nothing is there, or until one of them kills it with all that it has in hand. */
async function live({ queue, receive, advance }: Stage, kills: string): Promise<void> {
  for (;;) {
    const received = await receive({ visibilityMs: 1_000 });
    if (received.length === 0) return;
    if (bodiesOf(received).includes(kills)) return void (await advance(1_000));
    await queue.settle(receiptsOf(received));
  }
}

const needs = ['alone'] as const;

export const crashCases: readonly Case[] = [
  {
    title: 'buries the one that kills, and none of those that were in its company',
    needs,
    async run(stage) {
      const { queue, name, message, receive } = stage;
      const neighbours = counted('good', 7);
      const bodies = [...neighbours.slice(0, 3), 'bad', ...neighbours.slice(3)];
      await queue.send(bodies.map((body) => message(body, body)));
      // More of them come, and stand beside it.
      for (const turn of counted('later', maxReceived + 2)) {
        await live(stage, 'bad');
        await queue.send([message(turn, turn)]);
      }
      await live(stage, 'bad');
      const dead = await queue.listDead({ function: name, max: 20 });
      expect(dead).toMatchObject([{ body: 'bad', why: crashed, received: maxReceived }]);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'hands over alone what was received three times without an end, and nothing beside it',
    needs,
    async run(stage) {
      const { queue, message, receive, receiveOne, drain } = stage;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter);
      await queue.send(counted('h', 3).map((group) => message(group, group)));
      const { body, receipt } = await receiveOne();
      expect(body).toBe('suspect');
      expect(await receive()).toEqual([]);
      await queue.settle([receipt]);
      expect(await drain()).toHaveLength(3);
    },
  },
  {
    title: 'hands nothing over beside such a one to several that ask at once',
    needs,
    async run(stage) {
      const { queue, message, receive, drain } = stage;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter);
      await queue.send(counted('h', 3).map((group) => message(group, group)));
      const received = (await Promise.all(counted('ask', 4).map(() => receive()))).flat();
      const first = bodiesOf(received);
      // Whoever asks in the moment in which another one looks at it passes it over: then it is in nobody's hands yet.
      expect(first.includes('suspect') ? first : ['suspect']).toEqual(['suspect']);
      expect(await receive()).toEqual([]);
      await queue.settle(receiptsOf(received));
      const others = bodiesOf(await drain());
      expect(new Set([...first, ...others]).size).toBe(4);
      expect(first.length + others.length).toBe(4);
    },
  },
  {
    title: 'waits with such a one until nothing else is in hand, and does not count that',
    needs,
    async run(stage) {
      const { queue, message, receive, receiveOne } = stage;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter - 1);
      await receiveOne({ visibilityMs: 5_000 });
      await queue.send([message('h', 'other')]);
      const other = await receiveOne();
      await stage.advance(5_000);
      for (const _ of counted('look', maxReceived)) expect(await receive()).toEqual([]);
      await queue.settle([other.receipt]);
      expect(await receiveOne()).toMatchObject({ body: 'suspect', received: suspectAfter + 1 });
    },
  },
  {
    title:
      'waits with such a one for what was received again, whoever ends it by the receipt before',
    needs,
    async run(stage) {
      const { queue, functions, message, receive, receiveOne, advance } = stage;
      const [one, two] = functions;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter);
      await queue.send([message('h', 'other', { function: two })]);
      const { receipt } = await receiveOne({ functions: [two], visibilityMs: 1_000 });
      await advance(1_000);
      await receiveOne({ functions: [two] });
      expect(await queue.settle([receipt])).toEqual([false]);
      expect(await receive({ functions: [one] })).toEqual([]);
    },
  },
  {
    title:
      'hands nothing over beside such a one to two that ask at once when what it waited for ran out',
    needs,
    async run(stage) {
      const { queue, functions, message, receive, receiveOne, advance } = stage;
      const [one, two] = functions;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter);
      await queue.send([message('h', 'other', { function: two })]);
      await receiveOne({ functions: [two], visibilityMs: 5_000 });
      expect(await receive()).toEqual([]);
      await advance(5_000);
      const received = await Promise.all([one, two].map((name) => receive({ functions: [name] })));
      expect(received.flat()).toHaveLength(1);
    },
  },
  {
    title: 'wakes whoever waits for such a one when his hands are empty',
    needs,
    async run(stage) {
      const { queue, message, receive, receiveOne } = stage;
      await queue.send([message('g', 'suspect')]);
      await crash(stage, suspectAfter - 1);
      await receiveOne({ visibilityMs: 5_000 });
      await queue.send([message('h', 'other')]);
      const other = await receiveOne();
      await stage.advance(5_000);
      expect(await receive()).toEqual([]);
      const waiting = receive({ waitMs: 20_000 });
      await queue.settle([other.receipt]);
      expect(bodiesOf(await waiting)).toEqual(['suspect']);
    },
  },
  {
    title: 'buries as crashed what was received ten times and never settled',
    async run(stage) {
      const { queue, name, send, receive } = stage;
      await send('g', 'bad');
      await crash(stage, maxReceived);
      expect(await receive()).toEqual([]);
      const [dead] = await queue.listDead({ function: name, max: 10 });
      expect(dead).toMatchObject({ body: 'bad', why: crashed });
    },
  },
  {
    title: 'hands over what was received nine times',
    async run(stage) {
      await stage.send('g', 'a');
      await crash(stage, maxReceived - 1);
      const last = await stage.receiveOne();
      expect(last.received).toBe(maxReceived);
      expect(await stage.queue.settle([last.receipt])).toEqual([true]);
      expect(await stage.depth()).toMatchObject({ waiting: 0, inFlight: 0, dead: 0 });
    },
  },
  {
    title: 'goes on with the group when its first message is buried as crashed',
    async run(stage) {
      await stage.send('g', 'bad', 'good');
      await crash(stage, maxReceived);
      expect(bodiesOf(await stage.drain())).toEqual(['good']);
    },
  },
  {
    title: 'counts for each message of a group by itself',
    async run(stage) {
      await stage.send('g', 'bad', 'good');
      await crash(stage, maxReceived);
      expect(await stage.receiveOne()).toMatchObject({ body: 'good', received: 1 });
    },
  },
  {
    title: 'counts no release as a crash',
    needs: ['uncounted-release'],
    async run({ queue, send, receiveOne }) {
      await send('g', 'a');
      for (let time = 0; time < maxReceived + 2; time++) {
        await queue.release((await receiveOne()).receipt);
      }
      expect((await receiveOne()).body).toBe('a');
    },
  },
  {
    title: 'counts no extension as a crash',
    async run({ queue, send, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne();
      for (let time = 0; time < maxReceived + 2; time++) await queue.extend(receipt, 60_000);
      expect(await queue.settle([receipt])).toEqual([true]);
    },
  },
  {
    title: 'counts from the beginning after a redrive',
    async run(stage) {
      const { queue, name, send, receive, receiveOne } = stage;
      await send('g', 'a');
      await crash(stage, maxReceived);
      await receive();
      const [dead] = await queue.listDead({ function: name, max: 10 });
      expect(await queue.redrive([dead?.id ?? ''])).toMatchObject({ count: 1 });
      expect(await receiveOne()).toMatchObject({ body: 'a', received: 1 });
    },
  },
];
