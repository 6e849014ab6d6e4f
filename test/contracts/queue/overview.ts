import { expect } from 'vitest';
import { bodiesOf, type Case, counted } from './stage.ts';

const nothing = { waiting: 0, inFlight: 0, dead: 0 };

export const overviewCases: readonly Case[] = [
  {
    title: 'counts nothing where nothing is',
    async run({ depth }) {
      expect(await depth()).toMatchObject({ ...nothing, oldestSeconds: 0 });
    },
  },
  {
    title: 'counts what waits, what somebody holds and what is buried',
    async run({ queue, name, send, receiveOne, buryOne, depth }) {
      await buryOne('g', 'dead');
      await send('g', 'a', 'b', 'c');
      await receiveOne();
      expect(await depth()).toMatchObject({ waiting: 2, inFlight: 1, dead: 1 });
      await queue.purgeDead((await queue.listDead({ function: name, max: 9 })).map(({ id }) => id));
      expect(await depth()).toMatchObject({ waiting: 2, inFlight: 1, dead: 0 });
    },
  },
  {
    title: 'counts nothing any more of what was settled',
    async run({ send, drain, depth }) {
      await send('g', 'a', 'b');
      await drain();
      expect(await depth()).toMatchObject(nothing);
    },
  },
  {
    title: 'counts as waiting what was released',
    async run({ queue, send, receiveOne, depth }) {
      await send('g', 'a');
      await queue.release((await receiveOne()).receipt);
      expect(await depth()).toMatchObject({ waiting: 1, inFlight: 0 });
    },
  },
  {
    title: 'counts as waiting what came back',
    async run({ queue, buryOne, depth }) {
      await queue.redrive([await buryOne('g', 'a')]);
      expect(await depth()).toMatchObject({ waiting: 1, dead: 0 });
    },
  },
  {
    title: 'counts each function by itself',
    async run({ queue, functions: [one, two], message, depth }) {
      await queue.send(counted('g', 3).map((group) => message(group, 'a', { function: one })));
      await queue.send([message('g', 'a', { function: two })]);
      expect(await depth(one)).toMatchObject({ waiting: 3 });
      expect(await depth(two)).toMatchObject({ waiting: 1 });
    },
  },
  {
    title: 'says how old the oldest that waits is',
    needs: ['oldest'],
    async run({ advance, send, depth }) {
      await send('g', 'a');
      await advance(40_000);
      await send('h', 'b');
      await advance(10_000);
      const { oldestSeconds } = await depth();
      expect(oldestSeconds).toBeGreaterThanOrEqual(49);
      expect(oldestSeconds).toBeLessThan(60);
    },
  },
  {
    title: 'says how old the oldest is that waits behind what somebody holds',
    needs: ['oldest'],
    async run({ advance, send, receiveOne, depth }) {
      await send('g', 'a', 'b');
      await receiveOne({ visibilityMs: 3_600_000 });
      await advance(40_000);
      const { waiting, oldestSeconds } = await depth();
      expect(waiting).toBe(1);
      expect(oldestSeconds).toBeGreaterThanOrEqual(39);
      expect(oldestSeconds).toBeLessThan(60);
    },
  },
  {
    title: 'says of nothing how old it is where all is held',
    needs: ['oldest'],
    async run({ advance, send, receiveOne, depth }) {
      await send('g', 'a');
      await receiveOne({ visibilityMs: 3_600_000 });
      await advance(40_000);
      expect(await depth()).toMatchObject({ waiting: 0, inFlight: 1, oldestSeconds: 0 });
    },
  },
  {
    title: 'shows what waits without receiving it',
    needs: ['peek'],
    async run({ queue, name, send, receiveOne }) {
      await send('g', 'a', 'b');
      const shown = await queue.peek(name, 10);
      expect(shown).toMatchObject([
        { group: 'g', type: 'tested.v1', eventId: 'event of a', received: 0, inFlight: false },
        { group: 'g', eventId: 'event of b' },
      ]);
      expect(await receiveOne()).toMatchObject({ body: 'a', received: 1 });
    },
  },
  {
    title: 'shows what somebody holds as that',
    needs: ['peek'],
    async run({ queue, name, send, receiveOne }) {
      await send('g', 'a');
      await receiveOne();
      expect(await queue.peek(name, 10)).toMatchObject([{ inFlight: true, received: 1 }]);
    },
  },
  {
    title: 'shows no more than asked for, and only of the function',
    needs: ['peek'],
    async run({ queue, functions: [one, two], send }) {
      await send('g', ...counted('m', 5));
      expect(await queue.peek(one, 3)).toHaveLength(3);
      expect(await queue.peek(two, 3)).toEqual([]);
    },
  },
  {
    title: 'drops what waits for a function in a purge',
    async run({ queue, name, send, receive }) {
      await send('g', 'a', 'b');
      await send('h', 'c');
      await queue.purge(name);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'says how many a purge dropped',
    needs: ['exact-purge'],
    async run({ queue, name, send }) {
      await send('g', 'a', 'b');
      await send('h', 'c');
      expect(await queue.purge(name)).toBe(3);
      expect(await queue.purge(name)).toBe(0);
    },
  },
  {
    title: 'leaves what somebody holds to them in a purge',
    needs: ['exact-purge'],
    async run({ queue, name, advance, send, receive, receiveOne }) {
      await send('g', 'held', 'waits');
      const { receipt } = await receiveOne({ visibilityMs: 5_000 });
      expect(await queue.purge(name)).toBe(1);
      expect(await queue.extend(receipt, 5_000)).toBe(true);
      await advance(5_000);
      expect(bodiesOf(await receive())).toEqual(['held']);
    },
  },
  {
    title: 'leaves other functions alone in a purge',
    async run({ queue, functions: [one, two], message, receive }) {
      await queue.send([
        message('g', 'a', { function: one }),
        message('g', 'b', { function: two }),
      ]);
      await queue.purge(one);
      expect(bodiesOf(await receive({ functions: [one, two] }))).toEqual(['b']);
    },
  },
  {
    title: 'leaves dead letters alone in a purge',
    async run({ queue, name, buryOne, depth }) {
      await buryOne('g', 'a');
      await queue.purge(name);
      expect((await depth()).dead).toBe(1);
    },
  },
  {
    title: 'takes what is sent after a purge',
    async run({ queue, name, send, drain }) {
      await send('g', 'a');
      await queue.purge(name);
      await send('g', 'b', 'c');
      expect(bodiesOf(await drain())).toEqual(['b', 'c']);
    },
  },
];
