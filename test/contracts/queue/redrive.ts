import { expect } from 'vitest';
import { bodiesOf, type Case, counted } from './stage.ts';

export const redriveCases: readonly Case[] = [
  {
    title: 'puts a dead letter at the end of its group',
    async run({ queue, buryOne, send, drain }) {
      const id = await buryOne('g', 'dead');
      await send('g', 'a', 'b');
      expect(await queue.redrive([id])).toMatchObject({ count: 1 });
      await send('g', 'c');
      expect(bodiesOf(await drain())).toEqual(['a', 'b', 'dead', 'c']);
    },
  },
  {
    title: 'does not run a dead letter beside a message of its group that somebody holds',
    async run({ queue, buryOne, send, receive, receiveOne, drain }) {
      const id = await buryOne('g', 'dead');
      await send('g', 'a');
      const held = await receiveOne();
      await queue.redrive([id]);
      expect(await receive()).toEqual([]);
      await queue.settle([held.receipt]);
      expect(bodiesOf(await drain())).toEqual(['dead']);
    },
  },
  {
    title: 'runs a dead letter whose group is empty',
    async run({ queue, buryOne, receiveOne }) {
      await queue.redrive([await buryOne('g', 'dead')]);
      expect(await receiveOne()).toMatchObject({ body: 'dead', group: 'g', received: 1 });
    },
  },
  {
    title:
      'brings several of one group back in the order in which they were buried, however they are named',
    async run({ queue, buryOne, drain }) {
      const ids: string[] = [];
      for (const body of counted('m', 3)) ids.push(await buryOne('g', body));
      expect(await queue.redrive(ids)).toMatchObject({ count: 3 });
      expect(bodiesOf(await drain())).toEqual(counted('m', 3));
      for (const body of counted('n', 3)) ids.push(await buryOne('g', body));
      expect(await queue.redrive(ids.slice(3).toReversed())).toMatchObject({ count: 3 });
      expect(bodiesOf(await drain())).toEqual(counted('n', 3));
    },
  },
  {
    title:
      'merges what comes after it into a dead letter that is back, not into what waited before',
    needs: ['merging'],
    async run({ queue, name, message, receiveOne, drain }) {
      const change = (eventId: string) => message('g', 'a', { eventId, mergeKey: 'u1/false' });
      await queue.send([change('e1')]);
      await queue.bury((await receiveOne()).receipt, 'bad');
      await queue.send([change('e2')]);
      await queue.redrive({ function: name });
      await queue.send([change('e3')]);
      expect((await drain()).map(({ eventId }) => eventId)).toEqual(['e2', 'e3']);
    },
  },
  {
    title: 'brings back those that are named and leaves the others',
    async run({ queue, name, buryOne, drain }) {
      await buryOne('g', 'stays');
      const id = await buryOne('g', 'comes back');
      await queue.redrive([id]);
      expect(bodiesOf(await drain())).toEqual(['comes back']);
      expect(bodiesOf(await queue.listDead({ function: name, max: 10 }))).toEqual(['stays']);
    },
  },
  {
    title: 'brings a dead letter back once, however often it is named',
    async run({ queue, buryOne, drain }) {
      const id = await buryOne('g', 'dead');
      expect(await queue.redrive([id, id])).toMatchObject({ count: 1 });
      expect(await queue.redrive([id])).toMatchObject({ count: 0 });
      expect(bodiesOf(await drain())).toEqual(['dead']);
    },
  },
  {
    title: 'brings nothing back for ids that there are not',
    async run({ queue, receive }) {
      expect(await queue.redrive(['999999999', 'no id', ''])).toMatchObject({ count: 0 });
      expect(await queue.redrive([])).toMatchObject({ count: 0 });
      expect(await receive()).toEqual([]);
    },
  },
  ...(['redrive', 'purgeDead'] as const).map(
    (act): Case => ({
      title: `says by ${act} which ids of those that are named there are not`,
      async run({ queue, name, buryOne }) {
        const id = await buryOne('g', 'dead');
        const named = ['999999999', id, id, 'no id', 'no id'];
        const missing = ['999999999', 'no id'];
        expect(await queue[act](named)).toMatchObject({ count: 1, missing });
        expect(await queue[act]([id])).toMatchObject({ count: 0, missing: [id] });
        expect(await queue[act]({ function: name })).toMatchObject({ count: 0, missing: [] });
      },
    }),
  ),
  {
    title: 'tells of none that cannot come back where all of them can',
    async run({ queue, buryOne }) {
      const id = await buryOne('g', 'dead');
      expect(await queue.redrive([id])).toEqual({ count: 1, missing: [], stuck: [] });
    },
  },
  {
    title: 'buries again what came back, for the new reason',
    async run({ queue, name, buryOne, receiveOne }) {
      await queue.redrive([await buryOne('g', 'dead', 'first')]);
      await queue.bury((await receiveOne()).receipt, 'second');
      const dead = await queue.listDead({ function: name, max: 10 });
      expect(dead).toMatchObject([{ body: 'dead', why: 'second' }]);
    },
  },
  {
    title: 'brings dead letters of two functions back in one call',
    async run({ queue, functions: [one, two], message, receiveOne, receive }) {
      for (const name of [one, two]) {
        await queue.send([message('g', name, { function: name })]);
        await queue.bury((await receiveOne({ functions: [name] })).receipt, 'bad');
      }
      const dead = [
        ...(await queue.listDead({ function: one, max: 1 })),
        ...(await queue.listDead({ function: two, max: 1 })),
      ];
      expect(await queue.redrive(dead.map(({ id }) => id))).toMatchObject({ count: 2 });
      expect(bodiesOf(await receive({ functions: [one, two] })).toSorted()).toEqual(
        [one, two].toSorted(),
      );
    },
  },
  {
    title: 'brings back all of a function, and then all that there are, in their order',
    async run({ queue, functions: [one, two], message, buryOne, receiveOne, drain }) {
      await queue.send([message('g', 'other', { function: two })]);
      await queue.bury((await receiveOne({ functions: [two] })).receipt, 'bad');
      for (const body of counted('m', 3)) await buryOne('g', body);
      expect(await queue.redrive({ function: one })).toMatchObject({ count: 3 });
      expect(bodiesOf(await drain())).toEqual(counted('m', 3));
      await buryOne('g', 'again');
      expect((await queue.redrive({ function: undefined })).count).toBeGreaterThanOrEqual(2);
      expect(bodiesOf(await drain([one, two])).toSorted()).toEqual(['again', 'other']);
    },
  },
  {
    title: 'drops all dead letters of a function, and no other’s',
    async run({ queue, functions: [one, two], message, buryOne, receiveOne, depth }) {
      await queue.send([message('g', 'other', { function: two })]);
      await queue.bury((await receiveOne({ functions: [two] })).receipt, 'bad');
      for (const body of counted('m', 3)) await buryOne('g', body);
      expect(await queue.purgeDead({ function: one })).toMatchObject({ count: 3 });
      expect([(await depth(one)).dead, (await depth(two)).dead]).toEqual([0, 1]);
    },
  },
  {
    title: 'drops the dead letters that are named',
    async run({ queue, name, buryOne }) {
      const [first, second] = [await buryOne('g', 'a'), await buryOne('g', 'b')];
      expect(await queue.purgeDead([first, 'no id'])).toMatchObject({ count: 1 });
      expect((await queue.listDead({ function: name, max: 10 })).map(({ id }) => id)).toEqual([
        second,
      ]);
      expect(await queue.redrive([first])).toMatchObject({ count: 0 });
    },
  },
];
