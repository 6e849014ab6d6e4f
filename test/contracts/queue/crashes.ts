import { expect } from 'vitest';
import { crashed, maxReceived } from '#events/queue.ts';
import { bodiesOf, type Case, type Stage } from './stage.ts';

/** Received, and never heard of again. */
async function crash({ receiveOne, advance }: Stage, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await receiveOne({ visibilityMs: 1_000 });
    await advance(1_000);
  }
}

export const crashCases: readonly Case[] = [
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
      expect(await queue.redrive([dead?.id ?? ''])).toBe(1);
      expect(await receiveOne()).toMatchObject({ body: 'a', received: 1 });
    },
  },
];
