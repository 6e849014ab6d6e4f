import { expect } from 'vitest';
import type { Delivery } from '#events/queue.ts';
import { bodiesOf, type Case, counted, type Stage } from './stage.ts';

const waitMs = 10_000;

/** Somebody holds `a`, and `b` is behind it. */
async function holding({ send, receiveOne }: Stage, visibilityMs = 30_000): Promise<string> {
  await send('g', 'a', 'b');
  return (await receiveOne({ visibilityMs })).receipt;
}

type Wake = readonly [string, (stage: Stage) => Promise<() => Promise<unknown>>, string];

/** What makes something receivable while somebody waits for it. */
const wakes: readonly Wake[] = [
  [
    'a message is sent',
    async ({ send }) =>
      () =>
        send('g', 'a'),
    'a',
  ],
  [
    'the message in front is settled',
    async (stage) => {
      const receipt = await holding(stage);
      return () => stage.queue.settle([receipt]);
    },
    'b',
  ],
  [
    'the message in front is buried',
    async (stage) => {
      const receipt = await holding(stage);
      return () => stage.queue.bury(receipt, 'bad');
    },
    'b',
  ],
  [
    'a message is released',
    async (stage) => {
      const receipt = await holding(stage);
      return () => stage.queue.release(receipt);
    },
    'a',
  ],
  [
    "somebody's visibility runs out",
    async (stage) => {
      await holding(stage, 1_000);
      return async () => stage.advance(1_000);
    },
    'a',
  ],
  [
    'a dead letter comes back',
    async ({ queue, buryOne }) => {
      const id = await buryOne('g', 'dead');
      return () => queue.redrive([id]);
    },
    'dead',
  ],
];

const waking: readonly Case[] = wakes.map(([what, prepare, body]) => ({
  title: `wakes whoever waits when ${what}`,
  async run(stage: Stage) {
    const wake = await prepare(stage);
    const waiting = stage.receive({ waitMs });
    await wake();
    expect(bodiesOf(await waiting)).toEqual([body]);
  },
}));

export const waitingCases: readonly Case[] = [
  ...waking,
  {
    title: 'wakes whoever waits when a transaction commits',
    needs: ['transactions'],
    async run({ begin, message, receive }) {
      const transaction = await begin();
      const waiting = receive({ waitMs });
      await transaction.send([message('g', 'a')]);
      await transaction.commit();
      expect(bodiesOf(await waiting)).toEqual(['a']);
    },
  },
  {
    title: 'does not wait where something is there',
    async run({ send, receive }) {
      await send('g', 'a');
      expect(bodiesOf(await receive({ waitMs }))).toEqual(['a']);
    },
  },
  {
    title: 'does not wait for more than there is',
    async run({ send, receive }) {
      const waiting = receive({ waitMs, max: 10 });
      await send('g', 'a');
      expect(bodiesOf(await waiting)).toEqual(['a']);
    },
  },
  {
    title: 'answers at once with nothing where it may not wait',
    async run({ receive }) {
      expect(await receive({ waitMs: 0 })).toEqual([]);
    },
  },
  {
    title: 'ends with nothing when its time is over',
    async run({ advance, receive }) {
      const waiting = receive({ waitMs: 100 });
      await advance(100);
      expect(await waiting).toEqual([]);
    },
  },
  {
    title: 'ends with nothing at the abort',
    async run({ receive }) {
      const abort = new AbortController();
      const waiting = receive({ waitMs, signal: abort.signal });
      abort.abort();
      expect(await waiting).toEqual([]);
    },
  },
  {
    title: 'does not begin to wait after the abort',
    async run({ receive }) {
      expect(await receive({ waitMs, signal: AbortSignal.abort() })).toEqual([]);
    },
  },
  {
    title: 'has for the next one what was sent after an abort',
    async run({ advance, send, receive, drain }) {
      const abort = new AbortController();
      const waiting = receive({ waitMs, signal: abort.signal });
      abort.abort();
      const before = await waiting;
      await send('g', 'a');
      await advance(60_000);
      expect(bodiesOf([...before, ...(await drain())])).toEqual(['a']);
    },
  },
  {
    title: 'loses nothing where aborts and sends race',
    async run(stage) {
      const bodies = counted('m', 12);
      const received: Delivery[] = [];
      for (const body of bodies) received.push(...(await raced(stage, body)));
      await stage.queue.settle(received.map(({ receipt }) => receipt));
      await stage.advance(60_000);
      const all = bodiesOf([...received, ...(await stage.drain())]);
      expect([...new Set(all)].toSorted()).toEqual(bodies.toSorted());
    },
  },
  {
    title: 'gives one message to one of two that wait',
    async run({ send, receive }) {
      const abort = new AbortController();
      const waiting = [1, 2].map(() => receive({ waitMs, signal: abort.signal }));
      await send('g', 'a');
      await Promise.race(waiting);
      abort.abort();
      expect(bodiesOf((await Promise.all(waiting)).flat())).toEqual(['a']);
    },
  },
  {
    title: 'serves two that wait with a message each',
    async run({ name, send, receive }) {
      const waiting = [1, 2].map(() => receive({ functions: [name], waitMs, max: 1 }));
      await send('g', 'a');
      await send('h', 'b');
      expect(bodiesOf((await Promise.all(waiting)).flat()).toSorted()).toEqual(['a', 'b']);
    },
  },
  {
    title: 'wakes nobody for a message of a function that is not theirs',
    async run({ queue, functions: [one, two], message, receive, drain }) {
      const abort = new AbortController();
      const waiting = receive({ functions: [two], waitMs, signal: abort.signal });
      await queue.send([message('g', 'a', { function: one })]);
      abort.abort();
      expect(await waiting).toEqual([]);
      expect(bodiesOf(await drain([one]))).toEqual(['a']);
    },
  },
];

/** The abort comes before, with or after the message. */
async function raced({ send, receive }: Stage, body: string): Promise<readonly Delivery[]> {
  const abort = new AbortController();
  const waiting = receive({ waitMs, visibilityMs: 20_000, signal: abort.signal });
  const sent = send(`group of ${body}`, body);
  if (body.endsWith('1')) await sent;
  abort.abort();
  const [received] = await Promise.all([waiting, sent]);
  return received;
}
