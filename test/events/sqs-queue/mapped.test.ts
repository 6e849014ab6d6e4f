import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '#events/sqs-queue/addresses.ts';
import { type Mapped, mappedEndingsOn } from '#events/sqs-queue/mapped.ts';
import { type Entry, openSqs, type Sqs } from '#events/sqs-queue/sqs.ts';
import { type SqsServer, startSqs } from './server.ts';

const functionName = 'one';

function mappedOf(messageId: string, body = messageId): Mapped {
  const from = { function: functionName, prefix: 'gatehouse-mapped' };
  return { ...from, messageId, body, handle: '', group: 'g', received: 9 };
}

type Send = Sqs['send'];

/** Notes what is in each call, before `send` answers it. */
function endingsWith(send: Send) {
  const calls: (readonly string[])[] = [];
  const noting: Send = (queue, entries) => {
    calls.push(entries.map(({ body }) => body.slice(0, 2).trim()));
    return send(queue, entries);
  };
  const unused = async () => expect.fail('it is not asked for this');
  const others = { has: unused, receive: unused, hide: unused, show: unused, count: unused };
  const sqs: Sqs = { ...others, delete: unused, purge: unused, close: () => {}, send: noting };
  return { calls, ...mappedEndingsOn(sqs, Date) };
}

const taking: Send = async () => [];
const renewed = { kind: 'renewed' };
const wide = (id: string) => mappedOf(id, id.padEnd(600_000));

describe('messages of a batch that begin anew', () => {
  it('go by one call, in their order', async () => {
    const { renew, calls } = endingsWith(taking);
    expect(await renew(['a', 'b', 'c'].map((id) => mappedOf(id)))).toEqual(
      Array.from({ length: 3 }, () => renewed),
    );
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('go by as many calls as SQS needs for their length and number', async () => {
    const { renew, calls } = endingsWith(taking);
    await renew(['a', 'b', 'c'].map(wide));
    expect(calls).toEqual([['a'], ['b'], ['c']]);
    calls.length = 0;
    await renew(Array.from({ length: 11 }, (_, at) => mappedOf(`${at}`)));
    expect(calls.map(({ length }) => length)).toEqual([10, 1]);
  });

  it('are told of one by one, where SQS takes only some', async () => {
    const { renew } = endingsWith(async (_, entries) => [
      { id: entries[1]?.id ?? '', why: 'InternalError' },
    ]);
    const refused = { kind: 'refused', why: 'InternalError' };
    const answers = await renew(['a', 'b', 'c'].map((id) => mappedOf(id)));
    expect(answers).toEqual([renewed, refused, renewed]);
  });

  it('do not follow by the next call what was not taken by the one before', async () => {
    const { renew, calls } = endingsWith(async (_, [first]) => [
      { id: first?.id ?? '', why: 'InternalError' },
    ]);
    const answers = await renew(['a', 'b'].map(wide));
    expect(answers.map(({ kind }) => kind)).toEqual(['refused', 'refused']);
    expect(calls).toEqual([['a']]);
  });

  it('are told of as far as they went, where SQS goes away in between', async () => {
    const { renew } = endingsWith(async (_, [first]) => {
      if (first?.body.startsWith('b')) throw new Error('SQS is away');
      return [];
    });
    expect(await renew(['a', 'b', 'c'].map(wide))).toMatchObject([
      renewed,
      { kind: 'refused', why: 'SQS is away' },
      { kind: 'refused' },
    ]);
  });
});

describe('on a server', () => {
  let server: SqsServer;
  let sqs: Sqs;
  beforeAll(async () => {
    server = await startSqs();
    sqs = openSqs(server.settings);
  });
  afterAll(async () => {
    sqs.close();
    await server.stop();
  });

  it('come in their order behind what waits in their group, and count from the beginning', async () => {
    const [first] = [mappedOf('a')];
    const queue = queueName(first.prefix, functionName);
    await server.createQueues(first.prefix, [functionName]);
    const waiting: Entry = { id: '0', body: 'waits', group: 'g', deduplication: 'waits' };
    await sqs.send(queue, [waiting]);
    const { renew } = mappedEndingsOn(sqs, server);
    expect(await renew([first, mappedOf('b'), mappedOf('c')])).toEqual([renewed, renewed, renewed]);
    const bodies: string[] = [];
    for (const _ of ['waits', 'a', 'b', 'c']) {
      const how = { max: 1, visibilityMs: 60_000, waitSeconds: 0 };
      const [received] = await sqs.receive(queue, how);
      bodies.push(`${received?.body} ${received?.received}`);
      await sqs.delete(queue, [received?.handle ?? '']);
    }
    expect(bodies).toEqual(['waits 1', 'a 1', 'b 1', 'c 1']);
  });
});
