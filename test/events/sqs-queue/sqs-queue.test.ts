import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashed, maxReceived, type Outgoing, type Queue } from '#events/queue.ts';
import { deadQueueName, queueName } from '#events/sqs-queue/addresses.ts';
import { envelopeFor, longestInline, written } from '#events/sqs-queue/envelope.ts';
import type { Entry } from '#events/sqs-queue/sqs.ts';
import { type Opened, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

describe('what is not ours on the queue', () => {
  it('is put aside as it was, and the others go on', async () => {
    const opened = await stage.open();
    await raw(opened, 'one', 'somebody wrote this by hand');
    await opened.queue.send([message('g', 'good')]);
    expect(await receive(opened.queue)).toMatchObject([{ body: 'good' }]);
    expect(await opened.queue.listDead({ function: 'one', max: 10 })).toMatchObject([
      { body: 'somebody wrote this by hand', group: 'by-hand', why: 'it cannot be read' },
    ]);
  });

  it('can be dropped like every dead letter', async () => {
    const opened = await stage.open();
    await raw(opened, 'one', 'somebody wrote this by hand');
    await receive(opened.queue);
    const [dead] = await opened.queue.listDead({ function: 'one', max: 10 });
    expect(await opened.queue.purgeDead([dead?.id ?? ''])).toMatchObject({ count: 1 });
    expect(await opened.queue.depth(['one'])).toMatchObject([{ waiting: 0, dead: 0 }]);
  });

  it('is put aside as well where it lies among the dead letters', async () => {
    const opened = await stage.open();
    await raw(opened, 'dead', 'somebody wrote this by hand');
    expect(await opened.queue.listDead({ max: 10 })).toMatchObject([
      { body: 'somebody wrote this by hand', why: crashed },
    ]);
  });

  it.each([
    ['time is none', /"time":"[^"]*"/, '"time":"yesterday"'],
    [
      'attempts are more than any number of tries',
      '"gatehouseattempt":0',
      '"gatehouseattempt":1e10',
    ],
  ])('is put aside like what cannot be read, where its %s', async (_, ours, theirs) => {
    const opened = await stage.open();
    const { text } = written(envelopeFor(message('g', 'odd'), { id: 'theirs', sentAtMs: 0 }));
    await raw(opened, 'one', text.replace(ours, theirs));
    expect(await receive(opened.queue)).toEqual([]);
    expect(await opened.queue.listDead({ max: 10 })).toMatchObject([{ why: 'it cannot be read' }]);
  });

  it.each(['nobody', 'two'])('is put aside where it names another function: %s', async (name) => {
    const opened = await stage.open();
    const enveloped = envelopeFor(message('g', 'odd', name), { id: 'theirs', sentAtMs: 0 });
    await raw(opened, 'one', written(enveloped).text);
    expect(await receive(opened.queue)).toEqual([]);
    expect(await opened.queue.listDead({ max: 10 })).toMatchObject([
      { body: 'odd', function: name, why: 'it names another function' },
    ]);
  });

  it('is put aside by ids that SQS takes, where its own is none', async () => {
    const sent: Entry[] = [];
    const opened = await stage.open((sqs) => ({
      ...sqs,
      send(queue, entries) {
        sent.push(...entries);
        return sqs.send(queue, entries);
      },
    }));
    const id = `theirs ${'x'.repeat(200)}`;
    const enveloped = envelopeFor(message('g', 'odd'), { id, sentAtMs: 0 });
    await raw(opened, 'dead', written(enveloped).text);
    sent.length = 0;
    expect(await opened.queue.listDead({ max: 10 })).toMatchObject([{ body: 'odd', why: crashed }]);
    const ids = sent.flatMap(({ group, deduplication }) => [group, deduplication]);
    expect(ids).toHaveLength(2);
    for (const each of ids) expect(each).toMatch(/^[!-~]{1,128}$/);
  });
});

describe('dead letters that were written by hand under one id', () => {
  const bodies = ['a', 'b'];
  async function buryBoth(opened: Opened): Promise<void> {
    for (const body of bodies) {
      const { text } = written(envelopeFor(message(body, body), { id: 'theirs', sentAtMs: 0 }));
      await raw(opened, 'one', text, body);
    }
    for (const { receipt } of await receive(opened.queue)) await opened.queue.bury(receipt, 'bad');
  }

  it.each([
    ['that', ['theirs']],
    ['all', { function: undefined }],
  ])('are all there, and all come back by %s', async (_, buried) => {
    const opened = await stage.open();
    await buryBoth(opened);
    const dead = await opened.queue.listDead({ max: 10 });
    expect(dead.map(({ body }) => body).toSorted()).toEqual(bodies);
    expect(await opened.queue.redrive(buried)).toMatchObject({ count: 2 });
    expect(bodiesOf(await receive(opened.queue))).toEqual(bodies);
  });
});

describe('going through dead letters', () => {
  it('asks for each of them once, to show and to bring back all of them', async () => {
    let asked = 0;
    const opened = await stage.open((sqs) => ({
      ...sqs,
      receive(queue, how) {
        asked += queue.includes('-dead') ? 1 : 0;
        return sqs.receive(queue, how);
      },
    }));
    await buryMany(opened, 40);
    asked = 0;
    expect(await opened.queue.listDead({ function: 'one', max: 40 })).toHaveLength(40);
    expect(asked).toBeLessThanOrEqual(40 / 10 + 1);
    asked = 0;
    expect(await opened.queue.redrive({ function: 'one' })).toMatchObject({ count: 40 });
    expect(asked).toBeLessThanOrEqual(40 / 10 + 1);
  });

  it('ends and says so, where SQS is so slow that the first ones come back before the last', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      async receive(queue, how) {
        const received = await sqs.receive(queue, how);
        if (queue.includes('-dead')) stage.server.advance(50_000);
        return received;
      },
    }));
    await buryMany(opened, 25);
    const listing = opened.queue.listDead({ function: 'one', max: 25 });
    await expect(listing).rejects.toThrow('SQS is too slow');
  });
});

async function buryMany({ sqs, prefix }: Opened, count: number): Promise<void> {
  const buried = { why: 'bad', received: 1, atMs: 0 };
  for (let at = 0; at < count; at += 5) {
    const entries = [0, 1, 2, 3, 4].map((more) => {
      const id = `${at + more}`;
      const { text } = written({ ...envelopeFor(message('g', id), { id, sentAtMs: 0 }), buried });
      return { id, body: text, group: id, deduplication: id };
    });
    await sqs.send(deadQueueName(prefix, 'one'), entries);
  }
}

describe('dead letters', () => {
  it('are all seen where SQS itself moved several of one group, one hiding the next', async () => {
    const opened = await stage.open();
    await opened.queue.send(['a', 'b', 'c'].map((body) => message('g', body)));
    for (let time = 0; time < 3 * maxReceived; time++) {
      await receive(opened.queue, 1_000);
      stage.server.advance(1_000);
    }
    expect(await receive(opened.queue)).toEqual([]);
    const dead = await opened.queue.listDead({ function: 'one', max: 10 });
    expect(dead.map(({ body, why }) => [body, why])).toEqual([
      ['a', crashed],
      ['b', crashed],
      ['c', crashed],
    ]);
    expect(await opened.queue.redrive(dead.map(({ id }) => id))).toMatchObject({ count: 3 });
    expect(await receive(opened.queue)).toMatchObject([{ body: 'a', received: 1 }]);
  });

  it('are there for the next one who looks, while and after somebody pages through them', async () => {
    const opened = await stage.open();
    await opened.queue.send(['a', 'b', 'c'].map((group) => message(group, group)));
    for (const { receipt } of await receive(opened.queue)) await opened.queue.bury(receipt, 'bad');
    const page = await opened.queue.listDead({ function: 'one', max: 1 });
    const rest = await opened.queue.listDead({ function: 'one', max: 9, after: page[0]?.id ?? '' });
    expect([...page, ...rest].map(({ body }) => body)).toEqual(['a', 'b', 'c']);
  });

  it('keep a body that is too long for SQS until they are dropped', async () => {
    const opened = await stage.open();
    const body = 'x'.repeat(longestInline + 1);
    await opened.queue.send([message('g', body)]);
    const [delivery] = await receive(opened.queue);
    await opened.queue.bury(delivery?.receipt ?? '', 'bad');
    const id = delivery?.id ?? '';
    expect(await opened.outbox.bodies.find(id)).toBe(body);
    expect(await opened.queue.purgeDead([id])).toMatchObject({ count: 1 });
    expect(await opened.outbox.bodies.find(id)).toBeUndefined();
  });

  it('stay where they lie, and are told of, where such a body is gone', async () => {
    const opened = await stage.open();
    await opened.queue.send([message('g', 'x'.repeat(longestInline + 1))]);
    const [delivery] = await receive(opened.queue);
    await opened.queue.bury(delivery?.receipt ?? '', 'bad');
    const id = delivery?.id ?? '';
    await opened.outbox.bodies.drop([id]);
    const stuck = [{ id, why: 'its body is gone' }];
    expect(await opened.queue.redrive([id])).toEqual({ count: 0, missing: [], stuck });
    expect(await opened.queue.listDead({ max: 9 })).toMatchObject([{ id }]);
  });

  it('keep such a body though the message, of which SQS did not let go, is settled after all', async () => {
    const { opened, deleting } = await openedDeleting();
    const body = 'x'.repeat(longestInline + 1);
    await opened.queue.send([message('g', body)]);
    const [first] = await receive(opened.queue);
    deleting.isAway = true;
    await expect(opened.queue.bury(first?.receipt ?? '', 'bad')).rejects.toThrow('SQS is away');
    deleting.isAway = false;
    stage.server.advance(61_000);
    const [second] = await receive(opened.queue);
    expect(await opened.queue.settle([second?.receipt ?? ''])).toEqual([true]);

    expect(await opened.queue.redrive({ function: 'one' })).toMatchObject({ count: 1 });
    expect((await receive(opened.queue))[0]?.body === body).toBe(true);
  });

  it('of a function without a queue stay where they lie, and are told of', async () => {
    const opened = await stage.open();
    const enveloped = envelopeFor(message('g', 'odd', 'nobody'), { id: 'theirs', sentAtMs: 0 });
    const buried = { why: 'bad', received: 1, atMs: 0 };
    await raw(opened, 'dead', written({ ...enveloped, buried }).text);
    const stuck = [{ id: 'theirs', why: 'its function has no queue on SQS' }];
    expect(await opened.queue.redrive({ function: 'one' })).toMatchObject({ count: 0, stuck });
    expect(await opened.outbox.unsent('nobody')).toMatchObject({ count: 0 });
  });

  it('are written again into the outbox before they are taken away', async () => {
    const { opened, deleting } = await openedDeleting();
    await opened.queue.send([message('g', 'a')]);
    const [delivery] = await receive(opened.queue);
    await opened.queue.bury(delivery?.receipt ?? '', 'bad');
    const [dead] = await opened.queue.listDead({ function: 'one', max: 1 });
    deleting.isAway = true;
    await expect(opened.queue.redrive([dead?.id ?? ''])).rejects.toThrow('SQS is away');
    expect(await opened.outbox.unsent('one')).toMatchObject({ count: 1 });
  });
});

describe('where SQS refuses what fauxqs takes', () => {
  it('loses no dead letter where those that it moved itself count as sent', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      send: (queue, entries) =>
        queue.includes('-dead')
          ? // The id of what was moved: taken, and dropped.
            sqs.send(
              queue,
              entries.filter(({ deduplication }) => deduplication !== 'moved'),
            )
          : sqs.send(queue, entries),
    }));
    const { text } = written(envelopeFor(message('g', 'a'), { id: 'moved', sentAtMs: 0 }));
    const entry = { id: '0', body: text, group: 'g', deduplication: 'moved' };
    await stage.sqs.send(deadQueueName(opened.prefix, 'one'), [entry]);
    expect(await opened.queue.listDead({ max: 9 })).toMatchObject([{ id: 'moved', why: crashed }]);
    expect(await opened.queue.listDead({ max: 9 })).toHaveLength(1);
  });

  it('answers that a receipt is worth nothing when its deletion is refused', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      delete: async (_, handles) => handles.map(() => false),
    }));
    await opened.queue.send([message('g', 'a')]);
    const [delivery] = await receive(opened.queue);
    expect(await opened.queue.settle([delivery?.receipt ?? ''])).toEqual([false]);
  });

  it('keeps the body of what it did not delete', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      delete: async (_, handles) => handles.map(() => false),
    }));
    await opened.queue.send([message('g', 'x'.repeat(longestInline + 1))]);
    const [delivery] = await receive(opened.queue);
    await opened.queue.settle([delivery?.receipt ?? '']);
    expect(await opened.outbox.bodies.find(delivery?.id ?? '')).toBe(delivery?.body);
  });

  it('buries nothing by a receipt that SQS does not extend', async () => {
    const opened = await stage.open((sqs) => ({ ...sqs, hide: async () => false }));
    await opened.queue.send([message('g', 'a')]);
    const [delivery] = await receive(opened.queue);
    expect(await opened.queue.bury(delivery?.receipt ?? '', 'bad')).toBe(false);
    expect(await opened.queue.listDead({ max: 9 })).toEqual([]);
  });

  it('never asks for more than one message, since SQS would give several of one group', async () => {
    const asked: number[] = [];
    const opened = await stage.open((sqs) => ({
      ...sqs,
      receive(queue, how) {
        asked.push(how.max);
        return sqs.receive(queue, how);
      },
    }));
    await opened.queue.send(['a', 'b', 'c'].map((group) => message(group, group)));
    expect(await receive(opened.queue)).toHaveLength(3);
    expect(new Set(asked)).toEqual(new Set([1]));
  });
});

describe('an outage', () => {
  it('of the database keeps back only those whose body lies there', async () => {
    const opened = await stage.open();
    await opened.queue.send([message('g', 'x'.repeat(longestInline + 1)), message('h', 'short')]);
    opened.outbox.bodies.find = () => Promise.reject(new Error('the database is away'));
    expect(await receive(opened.queue, 1_000)).toMatchObject([{ body: 'short' }]);
    expect(opened.troubles).toMatchObject([{ message: 'the database is away' }]);
  });

  it('of the database, however long, is no receive of those that wait for their bodies', async () => {
    const opened = await stage.open();
    const body = 'x'.repeat(longestInline + 1);
    await opened.queue.send([message('g', body)]);
    const { bodies } = opened.outbox;
    const { find } = bodies;
    bodies.find = () => Promise.reject(new Error('the database is away'));
    for (let time = 0; time < 2 * maxReceived; time++) {
      await expect(receive(opened.queue)).rejects.toThrow('the database is away');
      stage.server.advance(25_000);
    }
    bodies.find = find;
    const [delivery] = await receive(opened.queue);
    expect([delivery?.received, delivery?.body === body]).toEqual([1, true]);
    expect(await opened.queue.settle([delivery?.receipt ?? ''])).toEqual([true]);
  });

  it.each(['after', 'while'])(
    'of the database leaves such a message to others, closed %s it is asked for',
    async (when) => {
      const opened = await stage.open();
      await opened.queue.send([message('g', 'x'.repeat(longestInline + 1))]);
      opened.outbox.bodies.find = async () => {
        if (when === 'while') await opened.queue.close();
        throw new Error('the database is away');
      };
      await expect(receive(opened.queue)).rejects.toThrow('the database is away');
      await opened.queue.close();
      const counts = await opened.sqs.count(queueName(opened.prefix, 'one'));
      expect(counts).toEqual({ visible: 1, hidden: 0 });
    },
  );

  it('leaves a receipt good for another try', async () => {
    const { opened, deleting } = await openedDeleting();
    deleting.isAway = true;
    await opened.queue.send([message('g', 'a')]);
    const [delivery] = await receive(opened.queue);
    const receipt = delivery?.receipt ?? '';
    await expect(opened.queue.settle([receipt])).rejects.toThrow('SQS is away');
    deleting.isAway = false;
    expect(await opened.queue.settle([receipt])).toEqual([true]);
  });

  it('is told to whoever waits', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      async receive(queue, how) {
        if (how.waitSeconds > 0) throw new Error('SQS is away');
        return await sqs.receive(queue, how);
      },
    }));
    await expect(receive(opened.queue, 30_000, 5_000)).rejects.toThrow('SQS is away');
  });

  it('keeps in the outbox what was sent while SQS was away', async () => {
    let isAway = true;
    const opened = await stage.open((sqs) => ({
      ...sqs,
      async send(queue, entries) {
        if (isAway) throw new Error('SQS is away');
        return await sqs.send(queue, entries);
      },
    }));
    await opened.queue.send([message('g', 'a')]);
    expect(opened.troubles).toMatchObject([{ message: 'SQS is away' }]);
    isAway = false;
    await opened.queue.send([message('g', 'b')]);
    expect(await receive(opened.queue)).toMatchObject([{ body: 'a' }]);
  });
});

describe('a poll that goes on after its receiver has gone', () => {
  it('hands what it brings to the next receiver, for its whole time', async () => {
    const opened = await stage.open();
    await receiveNothing(opened.queue);
    await opened.queue.send([message('g', 'a')]);
    const [delivery] = await receive(opened.queue, 60_000, 5_000);
    expect(delivery?.body).toBe('a');
    stage.server.advance(45_000);
    expect(await opened.queue.settle([delivery?.receipt ?? ''])).toEqual([true]);
  });

  it('gives back what it brings when the queue is closed', async () => {
    const opened = await stage.open();
    await receiveNothing(opened.queue);
    await opened.queue.send([message('g', 'a')]);
    await opened.queue.close();
    const counts = await opened.sqs.count(queueName(opened.prefix, 'one'));
    expect(counts).toEqual({ visible: 1, hidden: 0 });
  });
});

/** SQS takes nothing off its queues while its deletions are away. */
async function openedDeleting() {
  const deleting = { isAway: false };
  const opened = await stage.open((sqs) => ({
    ...sqs,
    async delete(queue, handles) {
      if (deleting.isAway) throw new Error('SQS is away');
      return await sqs.delete(queue, handles);
    },
  }));
  return { opened, deleting };
}

async function receiveNothing(queue: Queue): Promise<void> {
  const abort = new AbortController();
  const waiting = queue.receive({
    ...{ functions: ['one'], max: 10, visibilityMs: 30_000, waitMs: 10_000 },
    signal: abort.signal,
  });
  // The sweep has to be over, and the poll under way.
  await new Promise((resolve) => setTimeout(resolve, 60));
  abort.abort();
  expect(await waiting).toEqual([]);
}

function receive(queue: Queue, visibilityMs = 30_000, waitMs = 0) {
  return queue.receive({ functions: ['one'], max: 10, visibilityMs, waitMs });
}

function message(group: string, body: string, name = 'one'): Outgoing {
  return {
    function: name,
    group,
    type: 'tested.v1',
    body,
    eventId: `event of ${body.slice(0, 9)}`,
  };
}

type Where = 'one' | 'dead';

async function raw({ sqs, prefix }: Opened, where: Where, body: string, id = 'by-hand') {
  const queue = where === 'dead' ? deadQueueName(prefix, 'one') : queueName(prefix, 'one');
  await sqs.send(queue, [{ id: '0', body, group: id, deduplication: id }]);
}

function bodiesOf(deliveries: readonly { readonly body: string }[]): readonly string[] {
  return deliveries.map(({ body }) => body).toSorted();
}
