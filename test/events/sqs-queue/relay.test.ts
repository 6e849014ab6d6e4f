import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outgoing, Queue } from '#events/queue.ts';
import { queueName } from '#events/sqs-queue/addresses.ts';
import { envelopeFor, longestInline, written } from '#events/sqs-queue/envelope.ts';
import { relay, shipments } from '#events/sqs-queue/relay.ts';
import type { Entry, Sqs } from '#events/sqs-queue/sqs.ts';
import { openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

describe('the relay', () => {
  it('has at most one message of a group in a call, and at most ten messages', async () => {
    const calls: (readonly Entry[])[] = [];
    const opened = await stage.open((sqs) => noting(sqs, calls));
    const groups = Array.from({ length: 15 }, (_, at) => `g${at}`);
    await opened.outbox.add(
      ['1', '2'].flatMap((body) => groups.map((group) => message(group, body))),
    );
    expect(await relay(opened)).toEqual({ sent: 30, failed: [] });
    expect(calls.map((entries) => entries.length).toSorted()).toEqual([10, 10, 5, 5]);
    for (const entries of calls) {
      expect(new Set(entries.map(({ group }) => group)).size).toBe(entries.length);
    }
  });

  it('tells of each step, of which there may be no end', async () => {
    const opened = await stage.open();
    await opened.outbox.add(Array.from({ length: 150 }, (_, at) => message(`g${at}`, `${at}`)));
    let steps = 0;
    const onStep = () => {
      steps += 1;
    };
    expect(await relay({ ...opened, onStep })).toMatchObject({ sent: 150 });
    expect(steps).toBeGreaterThanOrEqual(3);
  });

  it('sends a row that was committed after one with a larger number was sent', async () => {
    const opened = await stage.open();
    const early = opened.outbox.open();
    await early.send([message('g', 'early')]);
    await opened.outbox.add([message('h', 'late')]);
    await relay(opened);
    early.commit();
    expect(await relay(opened)).toMatchObject({ sent: 1 });
    expect((await drained(opened.queue)).toSorted()).toEqual(['early', 'late']);
  });

  it('sends one event five times where it woke five times', async () => {
    const opened = await stage.open();
    for (const body of ['1', '2', '3', '4', '5']) {
      await opened.outbox.add([message('g', body, { eventId: 'u/7/MODIFIED' })]);
      await relay(opened);
    }
    expect(await drained(opened.queue)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('keeps what SQS did not take, with what is behind it in its group, and sends the rest', async () => {
    const opened = await stage.open();
    await limit(opened.prefix, 2_000);
    const long = 'x'.repeat(3_000);
    await opened.outbox.add([message('g', long), message('g', 'behind'), message('h', 'other')]);
    const { sent, failed } = await relay(opened);
    expect(sent).toBe(1);
    expect(failed).toMatchObject([{ why: expect.stringContaining('InvalidParameterValue') }]);
    expect(await opened.outbox.unsent('one')).toMatchObject({ count: 2 });
    expect(await drained(opened.queue)).toEqual(['other']);

    await limit(opened.prefix, 1_048_576);
    expect(await relay(opened)).toEqual({ sent: 2, failed: [] });
    expect(await drained(opened.queue)).toEqual([long, 'behind']);
  });

  it('keeps a row that it cannot write, with what is behind it in its group, and sends the rest', async () => {
    const opened = await stage.open();
    const { alone } = opened.outbox;
    opened.outbox.alone = (work) =>
      alone(({ take, accepted }) =>
        work({
          accepted,
          take: async (taking) =>
            (await take(taking)).map((row) =>
              row.group === 'g' ? { ...row, sentAtMs: Number.NaN } : row,
            ),
        }),
      );
    await opened.outbox.add([message('g', 'a'), message('g', 'behind'), message('h', 'other')]);
    expect(await relay(opened)).toMatchObject({
      sent: 1,
      failed: [{ why: expect.stringContaining('RangeError') }],
    });
    expect(await opened.outbox.unsent('one')).toMatchObject({ count: 2 });
    expect(await drained(opened.queue)).toEqual(['other']);
  });

  it('holds nobody up where a function has no queue, and sends that when it has', async () => {
    const opened = await stage.open();
    await opened.outbox.add([
      message('g', 'early', { function: 'unknown' }),
      message('g', 'a'),
      message('g', 'behind'),
    ]);
    const { sent, failed } = await relay(opened);
    expect([sent, failed]).toMatchObject([2, [{ why: expect.stringContaining('no queue') }]]);
    expect(await drained(opened.queue)).toEqual(['a', 'behind']);
    expect(await opened.outbox.unsent('unknown')).toMatchObject({ count: 1 });

    await stage.server.createQueues(opened.prefix, ['unknown']);
    expect(await relay(opened)).toEqual({ sent: 1, failed: [] });
  });

  it('hands on what the other queues took where a call for one of them goes wrong', async () => {
    const opened = await stage.open((sqs) => ({
      ...sqs,
      async send(queue, entries) {
        if (queue.includes('two')) throw new Error('AccessDenied');
        return sqs.send(queue, entries);
      },
    }));
    await opened.outbox.add([message('g', 'denied', { function: 'two' }), message('g', 'a')]);
    const { sent, failed } = await relay(opened);
    expect([sent, failed]).toMatchObject([1, [{ why: 'Error: AccessDenied' }]]);
    expect(await opened.outbox.unsent('one')).toMatchObject({ count: 0 });
    // Nobody takes anything: SQS is away.
    await expect(relay(opened)).rejects.toThrow('AccessDenied');
  });

  it.each(['a call throws', 'there is no queue'])(
    'comes to the others behind any number of groups of a function for which %s',
    async (what) => {
      const opened = await stage.open((sqs) => ({
        ...sqs,
        async send(queue, entries) {
          if (queue.includes('two') && what === 'a call throws') throw new Error('AccessDenied');
          return sqs.send(queue, entries);
        },
      }));
      const name = what === 'a call throws' ? 'two' : 'unknown';
      const groups = Array.from({ length: 350 }, (_, at) => `g${at}`);
      await opened.outbox.add(groups.map((group) => message(group, 'x', { function: name })));
      await opened.outbox.add([message('g', 'behind')]);
      let steps = 0;
      const onStep = () => {
        steps += 1;
      };
      const { sent, failed } = await relay({ ...opened, onStep });
      expect([sent, failed.length, steps]).toEqual([1, 100, 3]);
    },
  );

  it('ends its turn before the database does, and hands on the rest in the next', async () => {
    const opened = await stage.open();
    await opened.outbox.add(Array.from({ length: 450 }, (_, at) => message(`g${at}`, `${at}`)));
    let atMs = 0;
    const onStep = () => {
      atMs += 4_000;
    };
    const clock = { now: () => atMs, onStep };
    expect(await relay({ ...opened, ...clock })).toEqual({ sent: 300, failed: [] });
    expect(await relay({ ...opened, ...clock })).toEqual({ sent: 150, failed: [] });
  });

  it('sends again what SQS took without our hearing of it, and SQS has it once', async () => {
    let isAnswering = false;
    const opened = await stage.open((sqs) => ({
      ...sqs,
      async send(queue, entries) {
        const failed = await sqs.send(queue, entries);
        if (!isAnswering) throw new Error('the answer was lost');
        return failed;
      },
    }));
    await opened.outbox.add([message('g', 'a'), message('g', 'b')]);
    await expect(relay(opened)).rejects.toThrow('the answer was lost');
    isAnswering = true;
    await relay(opened);
    expect(await drained(opened.queue)).toEqual(['a', 'b']);
  });

  it('leaves everything to another one that is at work', async () => {
    const opened = await stage.open();
    await opened.outbox.add([message('g', 'a')]);
    const inside = await opened.outbox.alone(() => relay(opened));
    expect(inside).toEqual({ sent: 0, failed: [] });
    expect(await relay(opened)).toMatchObject({ sent: 1 });
  });

  it('sends each message once when two relay at the same time', async () => {
    const opened = await stage.open();
    await opened.outbox.add(['a', 'b', 'c'].map((group) => message(group, group)));
    const both = await Promise.all([relay(opened), relay(opened)]);
    expect(both.reduce((sum, { sent }) => sum + sent, 0)).toBe(3);
    expect((await drained(opened.queue)).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('sends to each function by a queue of its own', async () => {
    const opened = await stage.open();
    await opened.queue.send([message('g', 'a'), message('g', 'b', { function: 'two' })]);
    expect(await drained(opened.queue, 'two')).toEqual(['b']);
    expect(await drained(opened.queue, 'one')).toEqual(['a']);
  });

  it('leaves a body behind that is too long, and drops it when the message is settled', async () => {
    const calls: (readonly Entry[])[] = [];
    const opened = await stage.open((sqs) => noting(sqs, calls));
    const body = 'x'.repeat(longestInline + 1);
    await opened.queue.send([message('g', body)]);
    expect(calls[0]?.[0]?.body.length).toBeLessThan(1_000);
    const id = calls[0]?.[0]?.deduplication ?? '';
    expect((await opened.outbox.bodies.find(id))?.length).toBe(body.length);
    expect((await drained(opened.queue))[0] === body).toBe(true);
    expect(await opened.outbox.bodies.find(id)).toBeUndefined();
  });
});

describe('shipments', () => {
  const parcel = (at: number, length: number, name = 'one') => {
    const sent = message(`g${at}`, JSON.stringify('x'.repeat(length)), { function: name });
    const row = { ...sent, id: `${at}`, sentAtMs: 0 };
    return { row, ...written(envelopeFor(sent, row)) };
  };

  it.each([
    ['nothing', [], []],
    ['eleven short ones', Array.from({ length: 11 }, (_, at) => parcel(at, 1)), [10, 1]],
    ['long ones that fit only one by one', [1, 2, 3].map((at) => parcel(at, 700_000)), [1, 1, 1]],
    ['long ones that fit in pairs', [1, 2, 3].map((at) => parcel(at, 500_000)), [2, 1]],
    ['two functions', [parcel(1, 1), parcel(2, 1, 'two'), parcel(3, 1)], [2, 1]],
  ])('divides %s', (_, parcels, sizes) => {
    expect(shipments(parcels).map((each) => each.length)).toEqual(sizes);
  });
});

function message(group: string, body: string, more: Partial<Outgoing> = {}): Outgoing {
  return { function: 'one', group, type: 'tested.v1', body, eventId: `event of ${group}`, ...more };
}

function noting(sqs: Sqs, calls: (readonly Entry[])[]): Sqs {
  return {
    ...sqs,
    send(queue, entries) {
      calls.push(entries);
      return sqs.send(queue, entries);
    },
  };
}

async function drained(queue: Queue, name = 'one'): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const got = await queue.receive({
      functions: [name],
      max: 10,
      visibilityMs: 30_000,
      waitMs: 0,
    });
    if (got.length === 0) return bodies;
    bodies.push(...got.map(({ body }) => body));
    await queue.settle(got.map(({ receipt }) => receipt));
  }
}

/** The longest message that the queue of `one` takes. */
async function limit(prefix: string, bytes: number): Promise<void> {
  const client = new SQSClient(stage.server.settings);
  const { endpoint } = stage.server.settings;
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: `${endpoint}/000000000000/${queueName(prefix, 'one')}`,
      Attributes: { MaximumMessageSize: `${bytes}` },
    }),
  );
  client.destroy();
}
