import { expect } from 'vitest';
import type { Case } from './stage.ts';

export const extensionCases: readonly Case[] = [
  {
    title: 'keeps an extended message from others beyond its first visibility',
    async run({ queue, advance, send, receive, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 5_000 });
      expect(await queue.extend(receipt, 60_000)).toBe(true);
      await advance(10_000);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'settles an extended message after its first visibility',
    async run({ queue, advance, send, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 5_000 });
      await queue.extend(receipt, 60_000);
      await advance(10_000);
      expect(await queue.settle([receipt])).toEqual([true]);
    },
  },
  {
    title: 'counts an extension from now on, not from the end of the visibility',
    async run({ queue, advance, send, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 60_000 });
      await queue.extend(receipt, 5_000);
      await advance(5_000);
      expect((await receiveOne()).body).toBe('a');
    },
  },
  {
    title: 'ends an extension like a visibility',
    async run({ queue, advance, send, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 1_000 });
      await queue.extend(receipt, 5_000);
      await advance(5_000);
      expect(await queue.settle([receipt])).toEqual([false]);
    },
  },
  {
    title: 'extends again and again',
    async run({ queue, advance, send, receive, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 10_000 });
      for (const _ of [1, 2, 3, 4, 5]) {
        await advance(6_000);
        expect(await queue.extend(receipt, 10_000)).toBe(true);
      }
      expect(await receive()).toEqual([]);
      expect(await queue.settle([receipt])).toEqual([true]);
    },
  },
  {
    title: 'leaves nothing of a receipt that is settled while it is extended',
    async run({ queue, advance, send, receive, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne();
      const extending = queue.extend(receipt, 60_000);
      expect(await queue.settle([receipt])).toEqual([true]);
      await extending;
      expect(await queue.settle([receipt])).toEqual([false]);
      expect(await queue.extend(receipt, 60_000)).toBe(false);
      await advance(60_000);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'extends one message and lets the others of the batch run out',
    async run({ queue, advance, message, receive }) {
      await queue.send([message('g', 'a'), message('h', 'b')]);
      const received = await receive({ visibilityMs: 5_000 });
      const kept = received.find(({ body }) => body === 'a');
      await queue.extend(kept?.receipt ?? '', 60_000);
      await advance(5_000);
      expect((await receive()).map(({ body }) => body)).toEqual(['b']);
    },
  },
];
