import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { deadQueueName, queueName } from '#events/sqs-queue/addresses.ts';
import { envelopeFor, read, written } from '#events/sqs-queue/envelope.ts';
import type { Sqs } from '#events/sqs-queue/sqs.ts';
import { type Opened, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

describe('of more dead letters than are in hand at once', () => {
  const lot = { letters: 20, characters: 1_000_000 };

  it.each(['redrive', 'purgeDead'] as const)('%s leaves none behind', async (act) => {
    const opened = await stage.open(undefined, { lot });
    await lay(opened, 'one', numbered(50));
    expect(await opened.queue[act]({ function: 'one' })).toMatchObject({ count: 50 });
    expect(await deadOf(opened)).toBe(0);
  });

  it('none is received, comes back or is told of twice, where some of them cannot be sent', async () => {
    const received: string[] = [];
    const through = (sqs: Sqs): Sqs => ({
      ...sqs,
      async receive(queue, how) {
        const batch = await sqs.receive(queue, how);
        received.push(...batch.map(({ body }) => read(body)?.id ?? ''));
        return batch;
      },
    });
    const opened = await stage.open(through, { lot });
    const odd = numbered(9).map((id) => `odd ${id}`);
    await lay(opened, 'one', [...odd, ...numbered(41)]);
    const { count, stuck } = await opened.queue.redrive({ function: 'one' });
    expect([count, stuck.map(({ id }) => id).toSorted()]).toEqual([41, odd]);
    expect(received.filter((id) => id.startsWith('odd')).toSorted()).toEqual(odd);
    expect(await opened.outbox.unsent('one')).toMatchObject({ count: 0 });
    expect(await opened.queue.listDead({ max: 50 })).toHaveLength(9);
  });
});

describe('dead letters that are named', () => {
  it('are looked for until each id is found, however many letters have the first one', async () => {
    const opened = await stage.open();
    await lay(opened, 'one', ['A', 'A']);
    await lay(opened, 'two', ['B']);
    const all = { count: 3, missing: [], stuck: [] };
    expect(await opened.queue.redrive(['A', 'B'])).toEqual(all);
    expect(await deadOf(opened)).toBe(0);
  });

  it.each(['redrive', 'purgeDead'] as const)(
    '%s says which there are not, although others were as many as were named',
    async (act) => {
      const opened = await stage.open();
      await lay(opened, 'one', ['A', 'A']);
      expect(await opened.queue[act](['A', 'B'])).toMatchObject({ count: 2, missing: ['B'] });
    },
  );
});

describe('dead letters that cannot be sent', () => {
  it('are all told of, stay for whoever looks next, and keep no other one from coming back', async () => {
    const opened = await stage.open();
    await lay(opened, 'one', ['odd 1', 'good', 'odd 2']);
    await lay(opened, 'two', ['odd 3']);
    const { count, missing, stuck } = await opened.queue.redrive({ function: undefined });
    expect([count, missing]).toEqual([1, []]);
    const why = 'group is too long';
    const odd = ['odd 1', 'odd 2', 'odd 3'];
    expect(stuck.toSorted(byId)).toEqual(odd.map((id) => ({ id, why })));
    expect((await opened.queue.listDead({ max: 9 })).map(({ id }) => id)).toEqual(odd);
    expect(await opened.queue.depth(['one'])).toMatchObject([{ waiting: 1, dead: 2 }]);
  });

  it('are there, and not missing, where they are named', async () => {
    const opened = await stage.open();
    await lay(opened, 'one', ['odd', 'good']);
    expect(await opened.queue.redrive(['odd', 'good', 'no id'])).toEqual({
      count: 1,
      missing: ['no id'],
      stuck: [{ id: 'odd', why: 'group is too long' }],
    });
  });

  it('are told of once where there are copies, all of which stay', async () => {
    const opened = await stage.open();
    await lay(opened, 'one', ['odd', 'odd'], 'same');
    expect((await opened.queue.redrive(['odd'])).stuck).toHaveLength(1);
    expect(await opened.sqs.count(deadQueueName(opened.prefix, 'one'))).toMatchObject({
      visible: 2,
    });
  });

  it('come back once where there are copies, all of which go', async () => {
    const opened = await stage.open();
    await lay(opened, 'one', ['good', 'good'], 'same');
    expect(await opened.queue.redrive(['good'])).toMatchObject({ count: 1 });
    expect(await opened.sqs.count(queueName(opened.prefix, 'one'))).toMatchObject({ visible: 1 });
    expect(await deadOf(opened)).toBe(0);
  });

  it('stay for whoever looks next where it fails for the others', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      delete: () => Promise.reject(new Error('SQS is away')),
    }));
    await lay(opened, 'one', ['odd', 'good']);
    await expect(opened.queue.redrive(['odd', 'good'])).rejects.toThrow('SQS is away');
    expect(await idsLeft(opened)).toEqual(['good', 'odd']);
  });
});

describe('dead letters that were about to come back', () => {
  it.each([
    ['by their ids', ['1', '2']],
    ['all of them', { function: 'one' }],
  ])('are there for the next one who asks where the database is away: %s', async (_, buried) => {
    const opened = await stage.open();
    const { outbox, queue } = opened;
    await lay(opened, 'one', ['1', '2']);
    const isBack = { ...outbox };
    Object.assign(outbox, { add: () => Promise.reject(new Error('the database is away')) });
    await expect(queue.redrive(buried)).rejects.toThrow('the database is away');
    expect(await idsLeft(opened)).toEqual(['1', '2']);
    Object.assign(outbox, isBack);
    expect(await queue.redrive(buried)).toMatchObject({ count: 2, missing: [] });
  });

  it('are there as well where SQS does not answer for another function', async () => {
    let isAway = true;
    const opened = await stage.open((sqs) => ({
      ...sqs,
      receive: (queue, how) =>
        isAway && queue.includes('-two-')
          ? Promise.reject(new Error('SQS is away'))
          : sqs.receive(queue, how),
    }));
    await lay(opened, 'one', ['1']);
    await expect(opened.queue.purgeDead(['1', 'no id'])).rejects.toThrow('SQS is away');
    isAway = false;
    expect(await idsLeft(opened)).toEqual(['1']);
  });
});

it('shows all again that it has in hand where it cannot go on', async () => {
  let isAway = true;
  const opened = await stage.open((sqs) => ({
    ...sqs,
    send: (queue, entries) =>
      isAway ? Promise.reject(new Error('SQS is away')) : sqs.send(queue, entries),
  }));
  const { sqs } = stage;
  const strange = { id: '0', body: 'by hand', group: 'by hand', deduplication: 'strange' };
  await lay(opened, 'one', numbered(2));
  await sqs.send(deadQueueName(opened.prefix, 'one'), [strange]);
  await lay(opened, 'one', ['3', '4']);
  await expect(opened.queue.listDead({ max: 9 })).rejects.toThrow('SQS is away');
  isAway = false;
  expect(await opened.queue.listDead({ max: 9 })).toHaveLength(5);
});

let laid = 0;

/** As somebody writes them by hand, several under one id too; those that are called odd belong to a group too long to be sent to. */
async function lay(
  { prefix }: Opened,
  name: string,
  ids: readonly string[],
  body?: string,
): Promise<void> {
  const buried = { why: 'bad', received: 1, atMs: 0 };
  for (let at = 0; at < ids.length; at += 10) {
    const entries = ids.slice(at, at + 10).map((id) => {
      const own = `${++laid}`;
      const enveloped = envelopeFor(messageFor(name, id, body ?? own), { id, sentAtMs: 0 });
      const { text } = written({ ...enveloped, buried });
      return { id: own, body: text, group: own, deduplication: own };
    });
    expect(await stage.sqs.send(deadQueueName(prefix, name), entries)).toEqual([]);
  }
}

function messageFor(name: string, id: string, body: string): Outgoing {
  const group = id.startsWith('odd') ? 'x'.repeat(1_001) : 'g';
  return { function: name, group, type: 'tested.v1', body, eventId: 'e' };
}

/** Whom nobody hides. */
async function idsLeft({ queue }: Opened): Promise<readonly string[]> {
  return (await queue.listDead({ max: 9 })).map(({ id }) => id);
}

async function deadOf({ queue }: Opened): Promise<number> {
  return (await queue.depth()).reduce((sum, { dead }) => sum + dead, 0);
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${at + 1}`);
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
