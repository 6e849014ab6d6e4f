import { expect } from 'vitest';
import { bodiesOf, type Case, counted } from './stage.ts';

const reasons: readonly (readonly [string, string])[] = [
  ['a sentence', 'its body is no JSON: expected text at $.a'],
  ['nothing', ''],
  ['odd characters', 'größe "\\ \n 🦊 \u{1f}'],
  ['3,000 characters', 'why '.repeat(750)],
];

export const deadCases: readonly Case[] = [
  {
    title: 'keeps what was buried as it was',
    async run({ queue, name, message, receiveOne }) {
      await queue.send([message('g', '{ "a": 1 }', { eventId: 'u/7/MODIFIED' })]);
      expect(await queue.bury((await receiveOne()).receipt, 'no use')).toBe(true);
      const [dead, ...others] = await queue.listDead({ function: name, max: 10 });
      expect(others).toEqual([]);
      expect(dead).toMatchObject({
        function: name,
        group: 'g',
        type: 'tested.v1',
        body: '{ "a": 1 }',
        eventId: 'u/7/MODIFIED',
        received: 1,
        why: 'no use',
      });
      expect(dead?.buriedAt).toBeInstanceOf(Date);
    },
  },
  ...reasons.map(
    ([what, why]): Case => ({
      title: `buries for a reason of ${what}`,
      async run({ queue, name, buryOne }) {
        await buryOne('g', 'a', why);
        expect((await queue.listDead({ function: name, max: 10 }))[0]?.why).toBe(why);
      },
    }),
  ),
  {
    title: 'buries for a reason that a database cannot store, or only a part of it',
    async run({ queue, name, buryOne }) {
      await buryOne('g', 'a', `a\0b\ud800c${'x'.repeat(20_000)}`);
      const [dead] = await queue.listDead({ function: name, max: 10 });
      expect(dead?.why).toBe(`a\ufffdb\ufffdc${'x'.repeat(9_995)}`);
    },
  },
  {
    title: 'never hands over what was buried',
    async run({ advance, buryOne, receive }) {
      await buryOne('g', 'a');
      await advance(120_000);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'goes on with the next of the group after bury, not with a later one',
    async run({ queue, send, receive, receiveOne }) {
      await send('g', 'a', 'b', 'c');
      await queue.bury((await receiveOne()).receipt, 'bad');
      expect(bodiesOf(await receive())).toEqual(['b']);
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'keeps every byte of 1 MiB that is buried and comes back',
    async run({ queue, name, send, receiveOne }) {
      const body = '🦊'.repeat(262_144);
      await send('g', body);
      await queue.bury((await receiveOne()).receipt, 'bad');
      const [dead] = await queue.listDead({ function: name, max: 1 });
      expect(dead?.body === body).toBe(true);
      await queue.redrive([dead?.id ?? '']);
      expect((await receiveOne()).body === body).toBe(true);
    },
  },
  {
    title: 'keeps several of one group',
    async run({ queue, name, buryOne }) {
      for (const body of counted('m', 4)) await buryOne('g', body);
      const dead = await queue.listDead({ function: name, max: 10 });
      expect(bodiesOf(dead).toSorted()).toEqual(counted('m', 4));
    },
  },
  {
    title: 'lists the dead letters of one function only',
    async run({ queue, functions: [one, two], message, receiveOne }) {
      for (const name of [one, two]) {
        await queue.send([message('g', name, { function: name })]);
        await queue.bury((await receiveOne({ functions: [name] })).receipt, 'bad');
      }
      expect(bodiesOf(await queue.listDead({ function: two, max: 10 }))).toEqual([two]);
    },
  },
  {
    title: 'lists dead letters page by page, each once',
    async run({ queue, name, buryOne }) {
      for (const body of counted('m', 5)) await buryOne('g', body);
      const listed: string[] = [];
      let after: string | undefined;
      for (;;) {
        const page = await queue.listDead({ function: name, max: 2, ...(after && { after }) });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(2);
        listed.push(...bodiesOf(page));
        after = page.at(-1)?.id;
      }
      expect(listed.toSorted()).toEqual(counted('m', 5));
    },
  },
  {
    title: 'lists no dead letters where there are none',
    async run({ queue, name, send }) {
      await send('g', 'a');
      expect(await queue.listDead({ function: name, max: 10 })).toEqual([]);
    },
  },
  {
    title: 'lists the same dead letters again',
    async run({ queue, name, buryOne }) {
      const id = await buryOne('g', 'a');
      for (const _ of [1, 2, 3]) {
        expect((await queue.listDead({ function: name, max: 10 })).map((dead) => dead.id)).toEqual([
          id,
        ]);
      }
    },
  },
];
