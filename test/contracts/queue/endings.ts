import { expect } from 'vitest';
import type { Queue } from '#events/queue.ts';
import { bodiesOf, type Case, counted, receiptsOf, type Stage } from './stage.ts';

/** Everything that can be done with a receipt. */
const ways: readonly (readonly [string, (queue: Queue, receipt: string) => Promise<boolean>])[] = [
  ['settle', async (queue, receipt) => (await queue.settle([receipt]))[0] ?? true],
  ['extend', (queue, receipt) => queue.extend(receipt, 60_000)],
  ['release', (queue, receipt) => queue.release(receipt)],
  ['bury', (queue, receipt) => queue.bury(receipt, 'too late')],
];

/** How a receipt of the message `a` comes to be worth nothing. */
const worthless: readonly (readonly [string, (stage: Stage) => Promise<string>])[] = [
  ['of a message that was settled', async (stage) => await ended(stage, 'settle')],
  ['of a message that was released', async (stage) => await ended(stage, 'release')],
  ['of a message that was buried', async (stage) => await ended(stage, 'bury')],
  [
    'whose visibility ran out',
    async ({ send, receiveOne, advance }) => {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 1_000 });
      await advance(1_000);
      return receipt;
    },
  ],
  [
    'of a message that somebody else holds by now',
    async ({ send, receiveOne, advance }) => {
      await send('g', 'a');
      const { receipt } = await receiveOne({ visibilityMs: 1_000 });
      await advance(1_000);
      await receiveOne({ visibilityMs: 60_000 });
      return receipt;
    },
  ],
  ['that nobody ever got', async () => 'no receipt'],
  ['without a letter', async () => ''],
];

async function ended({ queue, send, receiveOne }: Stage, way: string): Promise<string> {
  await send('g', 'a');
  const { receipt } = await receiveOne();
  await ways.find(([name]) => name === way)?.[1](queue, receipt);
  return receipt;
}

const refused: readonly Case[] = worthless.flatMap(([what, make]) =>
  ways.map(([way, act]) => ({
    title: `does not ${way} by a receipt ${what}`,
    async run(stage: Stage) {
      const before = await make(stage);
      const depth = await stage.depth();
      expect(await act(stage.queue, before)).toBe(false);
      expect(await stage.depth()).toMatchObject({ dead: depth.dead });
    },
  })),
);

export const endingCases: readonly Case[] = [
  {
    title: 'has nothing left of what was settled',
    async run({ queue, advance, send, receive, receiveOne }) {
      await send('g', 'a');
      expect(await queue.settle([(await receiveOne()).receipt])).toEqual([true]);
      await advance(60_000);
      expect(await receive()).toEqual([]);
    },
  },
  ...refused,
  {
    title: 'leaves the message to whoever holds it now when an old receipt settles',
    async run({ queue, advance, send, receiveOne, receive }) {
      await send('g', 'a', 'b');
      const slow = await receiveOne({ visibilityMs: 1_000 });
      await advance(1_000);
      const quick = await receiveOne({ visibilityMs: 60_000 });
      await queue.settle([slow.receipt]);
      expect(await receive()).toEqual([]);
      expect(await queue.settle([quick.receipt])).toEqual([true]);
      expect(bodiesOf(await receive())).toEqual(['b']);
    },
  },
  {
    title: 'has the message back in its place after an old receipt tried to end it',
    async run({ queue, advance, send, receiveOne, drain }) {
      await send('g', 'a', 'b');
      const { receipt } = await receiveOne({ visibilityMs: 1_000 });
      await advance(1_000);
      await queue.bury(receipt, 'too late');
      await queue.settle([receipt]);
      expect(bodiesOf(await drain())).toEqual(['a', 'b']);
    },
  },
  {
    title: 'answers for each of several receipts, in their order',
    async run({ queue, message, receive }) {
      await queue.send(counted('g', 3).map((group) => message(group, group)));
      const [one = '', two = '', three = ''] = receiptsOf(await receive());
      await queue.settle([two]);
      const answers = await queue.settle([one, two, 'no receipt', three]);
      expect(answers).toEqual([true, false, false, true]);
    },
  },
  {
    title: 'settles once by a receipt that is named twice in one call',
    async run({ queue, send, receiveOne }) {
      await send('g', 'a', 'b');
      const { receipt } = await receiveOne();
      expect(await queue.settle([receipt, receipt])).toEqual([true, false]);
      expect((await receiveOne()).body).toBe('b');
    },
  },
  {
    title: 'settles more than ten in one call',
    async run({ queue, message, receive }) {
      await queue.send(counted('g', 23).map((group) => message(group, 'a')));
      const all = [...(await receive()), ...(await receive()), ...(await receive())];
      expect(await queue.settle(receiptsOf(all))).toEqual(all.map(() => true));
      expect(await receive()).toEqual([]);
    },
  },
  {
    title: 'settles no receipts without a word',
    async run({ queue }) {
      expect(await queue.settle([])).toEqual([]);
    },
  },
  {
    title: 'leaves other groups alone when one is settled',
    async run({ queue, send, receive, receiveOne }) {
      await send('g', 'a');
      const { receipt } = await receiveOne();
      await send('h', 'b');
      await queue.settle([receipt]);
      expect(bodiesOf(await receive())).toEqual(['b']);
    },
  },
  {
    title: 'hands a released message over at once',
    async run({ queue, send, receiveOne }) {
      await send('g', 'a');
      expect(await queue.release((await receiveOne()).receipt)).toBe(true);
      expect((await receiveOne()).body).toBe('a');
    },
  },
  {
    title: 'does not count a message as received that was released',
    needs: ['uncounted-release'],
    async run({ queue, send, receiveOne }) {
      await send('g', 'a');
      await queue.release((await receiveOne()).receipt);
      expect((await receiveOne()).received).toBe(1);
    },
  },
  {
    title: 'gives every message of a batch the fate of its own receipt',
    async run({ queue, advance, message, receive, drain, name }) {
      const groups = ['settled', 'buried', 'released', 'expired'];
      await queue.send(
        groups.flatMap((group) => [message(group, `${group} 1`), message(group, `${group} 2`)]),
      );
      const received = await receive({ visibilityMs: 5_000 });
      const receipt = (group: string) =>
        received.find((each) => each.group === group)?.receipt ?? '';
      expect(await queue.settle([receipt('settled')])).toEqual([true]);
      expect(await queue.bury(receipt('buried'), 'bad')).toBe(true);
      expect(await queue.release(receipt('released'))).toBe(true);

      const next = await receive({ visibilityMs: 1_000 });
      expect(bodiesOf(next).toSorted()).toEqual(['buried 2', 'released 1', 'settled 2']);
      await advance(5_000);
      expect(bodiesOf(await drain()).toSorted()).toEqual(
        ['buried 2', 'expired 1', 'expired 2', 'released 1', 'released 2', 'settled 2'].toSorted(),
      );
      expect(bodiesOf(await queue.listDead({ function: name, max: 10 }))).toEqual(['buried 1']);
    },
  },
  {
    title: 'gives several messages of one group their fates one after another',
    async run({ queue, send, receiveOne, name }) {
      await send('g', 'a', 'b', 'c', 'd');
      await queue.settle([(await receiveOne()).receipt]);
      await queue.bury((await receiveOne()).receipt, 'bad');
      await queue.release((await receiveOne()).receipt);
      const third = await receiveOne();
      expect(third.body).toBe('c');
      await queue.settle([third.receipt]);
      expect((await receiveOne()).body).toBe('d');
      expect(bodiesOf(await queue.listDead({ function: name, max: 10 }))).toEqual(['b']);
    },
  },
];
