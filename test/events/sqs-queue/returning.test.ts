import { expect, it } from 'vitest';
import type { DeadLetters, Letter, Lying } from '#events/sqs-queue/dead-letters.ts';
import { envelopeFor } from '#events/sqs-queue/envelope.ts';
import { returningOn } from '#events/sqs-queue/returning.ts';
import { outboxInMemory } from '#infra/emulator/testing/queue/outbox-in-memory.ts';

const functions = ['one'];

it('brings back any number, by no more in hand than 10,000, each looked at once', async () => {
  const { dead, looked } = lying(25_000);
  const outbox = outboxInMemory({ now: () => 0 });
  const { redrive } = returningOn({ dead, outbox, functions, relay: async () => undefined });

  expect(await redrive({ function: undefined })).toMatchObject({ count: 25_000 });
  expect((await outbox.unsent('one')).count).toBe(25_000);
  // Of each lot but the last, one more, by which it was known to be full.
  expect(looked()).toBe(25_000 + 2);
});

it('ends, although as many are buried anew as come back', async () => {
  const { dead, refill } = lying(10_001);
  const outbox = outboxInMemory({ now: () => 0 });
  const { redrive } = returningOn({ dead: { ...dead, drop: refill }, outbox, functions, relay });

  expect(await redrive({ function: undefined })).toMatchObject({ count: 20_000 });
});

it('shows the first ones by their ids, whatever order they come in', async () => {
  const { dead } = lying(5_000);
  const outbox = outboxInMemory({ now: () => 0 });
  const { listDead } = returningOn({ dead, outbox, functions, relay });

  const listed = await listDead({ max: 3, after: idOf(99) });
  expect(listed.map(({ id }) => id)).toEqual([100, 101, 102].map(idOf));
});

it.each<[string, (at: number) => number, readonly number[]]>([
  ['in which they were buried', (at) => 10 - at, [4, 3, 2, 1, 0]],
  ['of their ids, where that was in one moment', () => 0, [0, 1, 2, 3, 4]],
])('brings them back in the order %s, whatever order they come in', async (_, atMs, expected) => {
  const { dead } = lying(5, atMs);
  const outbox = outboxInMemory({ now: () => 0 });
  const { redrive } = returningOn({ dead, outbox, functions, relay });
  await redrive({ function: 'one' });

  const next = () =>
    outbox.alone(async ({ take, accepted }) => {
      const rows = await take({ max: 1, except: [] });
      await accepted({ gone: rows.map(({ id }) => id), kept: [] });
      return rows.map(({ body }) => Number(body));
    });
  const back: number[] = [];
  for (const _ of expected) back.push(...((await next()) ?? []));
  expect(back).toEqual(expected);
});

const relay = async () => undefined;

/** As SQS does it: whoever was not taken is there again. The last one comes first. */
function lying(count: number, atMs = (at: number) => at) {
  const numbers = Array.from({ length: count }, (_, at) => count - 1 - at);
  let letters: readonly Letter[] = numbers.map((at) => letterOf(at, atMs(at)));
  let looked = 0;
  const dead: DeadLetters = {
    bury: () => expect.fail('nobody buries'),
    async each(_, look) {
      for (const letter of letters) {
        looked += 1;
        if (look(letter) === 'stop') return;
      }
    },
    async drop(dropped) {
      letters = apart(letters, dropped).others;
    },
    leave: async () => undefined,
    count: async () => letters.length,
  };
  const refill = async (dropped: readonly Lying[]): Promise<void> => {
    const { ours, others } = apart(letters, dropped);
    letters = [...others, ...ours];
  };
  return { dead, refill, looked: () => looked };
}

function apart(letters: readonly Letter[], dropped: readonly Lying[]) {
  const handles = new Set(dropped.map(({ handle }) => handle));
  const isOurs = ({ handle }: Letter): boolean => handles.has(handle);
  return { ours: letters.filter(isOurs), others: letters.filter((each) => !isOurs(each)) };
}

function letterOf(at: number, atMs: number): Letter {
  const message = { function: 'one', group: 'g', type: 't.v1', body: `${at}`, eventId: 'e' };
  const enveloped = envelopeFor(message, { id: idOf(at), sentAtMs: 0 });
  const buried = { why: 'bad', received: 1, atMs };
  const ids = { handle: idOf(at), identity: idOf(at) };
  return { function: 'one', ...ids, enveloped: { ...enveloped, buried } };
}

function idOf(at: number): string {
  return `${at}`.padStart(8, '0');
}
