import { expect } from 'vitest';
import type { Delivery } from '#events/queue.ts';
import { bodiesIn, bodiesOf, type Case, counted, groupsOf, type Stage } from './stage.ts';

/** What makes the next of a group free: each time it waits its turn again. */
const endings: readonly (readonly [string, (stage: Stage, receipt: string) => unknown])[] = [
  ['settle', ({ queue }, receipt) => queue.settle([receipt])],
  ['bury', ({ queue }, receipt) => queue.bury(receipt, 'bad')],
  ['release', ({ queue }, receipt) => queue.release(receipt)],
  ['its visibility ran out', ({ advance }) => advance(5_000)],
];

export const fairnessCases: readonly Case[] = [
  {
    title: 'hands over no more than asked for, one',
    async run({ queue, message, receive }) {
      await queue.send(counted('g', 3).map((group) => message(group, 'a')));
      expect(await receive({ max: 1 })).toHaveLength(1);
    },
  },
  {
    title: 'hands over no more than asked for, ten',
    async run({ queue, message, receive }) {
      await queue.send(counted('g', 13).map((group) => message(group, 'a')));
      expect(await receive({ max: 10 })).toHaveLength(10);
      expect(await receive({ max: 10 })).toHaveLength(3);
      expect(await receive({ max: 10 })).toHaveLength(0);
    },
  },
  {
    title: 'gives a message of one group to one of two claimers',
    async run({ send, receive }) {
      await send('g', 'a', 'b');
      const both = await Promise.all([receive(), receive()]);
      expect(bodiesOf(both.flat())).toEqual(['a']);
    },
  },
  {
    title: 'gives ten groups to two claimers without giving one twice',
    async run({ queue, message, receive }) {
      const groups = counted('g', 10);
      await queue.send(groups.map((group) => message(group, 'a')));
      const first = await Promise.all([receive({ max: 5 }), receive({ max: 5 })]);
      const rest = await receive();
      expect(groupsOf([...first.flat(), ...rest])).toEqual(groups.toSorted());
    },
  },
  {
    title: 'lets five claimers empty twelve groups, each in its order and each message once',
    async run(stage) {
      const groups = counted('g', 12);
      const bodies = counted('m', 3);
      await stage.queue.send(
        bodies.flatMap((body) => groups.map((group) => stage.message(group, body))),
      );
      const all: Delivery[] = [];
      await Promise.all(counted('', 5).map(() => empty(stage, all)));
      const rest = await stage.drain();
      for (const group of groups) expect(bodiesIn([...all, ...rest], group)).toEqual(bodies);
    },
  },
  {
    title: 'keeps groups of one name that belong to two functions apart',
    async run({ queue, functions: [one, two], message, receive }) {
      await queue.send([
        message('g', 'a', { function: one }),
        message('g', 'b', { function: two }),
      ]);
      const received = await receive({ functions: [one, two] });
      expect(bodiesOf(received).toSorted()).toEqual(['a', 'b']);
    },
  },
  {
    title: 'gives a receiver only what is for its functions',
    async run({ queue, functions: [one, two], message, receive }) {
      await queue.send([
        message('g', 'a', { function: one }),
        message('h', 'b', { function: two }),
      ]);
      expect(bodiesOf(await receive({ functions: [two] }))).toEqual(['b']);
      expect(await receive({ functions: [two] })).toEqual([]);
      expect(bodiesOf(await receive({ functions: [one] }))).toEqual(['a']);
    },
  },
  {
    title: 'serves several functions at once',
    async run({ queue, functions, message, receive }) {
      await queue.send(functions.map((name) => message('g', name, { function: name })));
      expect(bodiesOf(await receive({ functions })).toSorted()).toEqual(functions.toSorted());
    },
  },
  {
    title: 'gives nothing to a receiver of no functions',
    async run({ send, receive }) {
      await send('g', 'a');
      expect(await receive({ functions: [] })).toEqual([]);
    },
  },
  {
    title: 'does not let a deep group hold up another one',
    async run({ send, receive }) {
      await send('deep', ...counted('m', 30));
      await send('late', 'a');
      expect(groupsOf(await receive())).toEqual(['deep', 'late']);
    },
  },
  {
    title: 'lets no function starve while another one is woken again and again',
    async run({ queue, functions: [busy, quiet], message, receiveOne }) {
      await queue.send(counted('g', 5).map((group) => message(group, 'b', { function: busy })));
      await queue.send([message('g', 'q', { function: quiet })]);
      const served: string[] = [];
      for (const turn of counted('again', 8)) {
        const next = await receiveOne({ functions: [busy, quiet], max: 1 });
        served.push(next.function);
        await queue.settle([next.receipt]);
        await queue.send([message(turn, 'b', { function: busy })]);
      }
      expect(served).toContain(quiet);
    },
  },
  {
    title: 'lets no group starve while another one is woken again and again',
    needs: ['fair-groups'],
    async run({ queue, send, receiveOne }) {
      await send('busy', ...counted('m', 3));
      await send('quiet', 'q');
      const served: string[] = [];
      for (const turn of counted('again', 8)) {
        const next = await receiveOne({ max: 1 });
        served.push(next.group);
        await queue.settle([next.receipt]);
        await send('busy', turn);
      }
      expect(served).toContain('quiet');
    },
  },
  ...endings.map(
    ([what, end]): Case => ({
      title: `has the next of a group behind those that wait, after ${what}`,
      needs: ['fair-groups'],
      async run(stage) {
        await stage.send('busy', 'first', 'second');
        const held = await stage.receiveOne({ max: 1, visibilityMs: 5_000 });
        await stage.send('quiet', 'q');
        await end(stage, held.receipt);
        expect((await stage.receiveOne({ max: 1 })).group).toBe('quiet');
        expect((await stage.receiveOne({ max: 1 })).group).toBe('busy');
      },
    }),
  ),
  ...endings.map(
    ([what, end]): Case => ({
      title: `has the next of a group before those that are sent to after ${what}`,
      needs: ['fair-groups'],
      async run(stage) {
        await stage.send('busy', 'first', 'second');
        await end(stage, (await stage.receiveOne({ visibilityMs: 5_000 })).receipt);
        await stage.send('late', 'l');
        expect((await stage.receiveOne({ max: 1 })).group).toBe('busy');
      },
    }),
  ),
  {
    title: 'has a group whose visibility was extended behind one that was sent to meanwhile',
    needs: ['fair-groups'],
    async run({ queue, send, receiveOne, advance }) {
      await send('slow', 'a');
      await queue.extend((await receiveOne({ visibilityMs: 5_000 })).receipt, 20_000);
      await advance(10_000);
      await send('meanwhile', 'b');
      await advance(10_000);
      expect((await receiveOne({ max: 1 })).group).toBe('meanwhile');
    },
  },
];

/** One claimer, until it finds nothing; `all` has everything in the order in which it was handed over. */
async function empty({ queue, receive }: Stage, all: Delivery[]): Promise<void> {
  for (;;) {
    const received = await receive({ max: 2 });
    if (received.length === 0) return;
    all.push(...received);
    await queue.settle(received.map(({ receipt }) => receipt));
  }
}
