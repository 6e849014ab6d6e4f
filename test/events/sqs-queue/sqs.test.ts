import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqs, type Sqs, visibilitySeconds } from '#events/sqs-queue/sqs.ts';
import { type SqsServer, startSqs } from './server.ts';

let server: SqsServer;
let sqs: Sqs;
let queue: string;
let queues = 0;

beforeAll(async () => {
  server = await startSqs();
  sqs = openSqs(server.settings);
});
afterAll(async () => {
  sqs.close();
  await server.stop();
});

async function fresh(...groups: readonly string[]): Promise<void> {
  const name = `q${++queues}`;
  await server.createQueues('gatehouse-test', [name]);
  queue = `gatehouse-test-${name}.fifo`;
  if (groups.length > 0) await sqs.send(queue, groups.map(entry));
}

const entry = (group: string, at: number) => {
  return { id: `${at}`, body: group, group, deduplication: group };
};
const now = { max: 10, visibilityMs: 30_000, waitSeconds: 0 };

describe('SQS', () => {
  it('takes what was received so often and in such a group from the attributes', async () => {
    await fresh('a');
    await sqs.receive(queue, { ...now, visibilityMs: 1_000 });
    server.advance(1_000);
    expect(await sqs.receive(queue, now)).toMatchObject([{ group: 'a', received: 2, body: 'a' }]);
  });

  it('deletes and shows more than ten at once', async () => {
    await fresh();
    const groups = Array.from({ length: 23 }, (_, at) => `g${at}`);
    for (const from of [0, 10, 20]) await sqs.send(queue, groups.slice(from, from + 10).map(entry));
    const received = [];
    for (const _ of [1, 2, 3]) received.push(...(await sqs.receive(queue, now)));
    const handles = received.map(({ handle }) => handle);
    expect(await sqs.count(queue)).toEqual({ visible: 0, hidden: 23 });
    await sqs.show(queue, handles.slice(0, 12));
    expect(await sqs.count(queue)).toEqual({ visible: 12, hidden: 11 });
    expect(await sqs.delete(queue, handles.slice(12))).toEqual(handles.slice(12).map(() => true));
    expect(await sqs.count(queue)).toEqual({ visible: 12, hidden: 0 });
  });

  it.each(['a handle that ran out', 'a handle of nothing'])('does not hide by %s', async (what) => {
    await fresh('a');
    const [received] = await sqs.receive(queue, { ...now, visibilityMs: 1_000 });
    server.advance(1_000);
    // fauxqs looks at its clock when somebody receives.
    await sqs.receive(queue, now);
    const handle = what === 'a handle of nothing' ? 'nothing' : (received?.handle ?? '');
    expect(await sqs.hide(queue, handle, 60_000)).toBe(false);
  });

  it('says which of a batch it did not take, and why', async () => {
    await fresh();
    const failed = await sqs.send(queue, [
      entry('a', 0),
      { id: '1', body: 'b\u0001', group: 'b', deduplication: 'b' },
    ]);
    expect(failed).toMatchObject([{ id: '1', why: expect.stringContaining('InvalidMessage') }]);
    expect(await sqs.count(queue)).toEqual({ visible: 1, hidden: 0 });
  });

  it('names the queue that is not there, and finds it when it is', async () => {
    const name = 'gatehouse-test-later.fifo';
    const none = { visible: 0, hidden: 0 };
    await expect(sqs.receive(name, now)).rejects.toThrow(`no queue ${name}`);
    expect(await sqs.send(name, [entry('a', 0)])).toMatchObject([
      { id: '0', why: expect.stringContaining(`no queue ${name}`) },
    ]);
    expect([await sqs.has(name), await sqs.count(name)]).toEqual([false, none]);
    await sqs.purge(name);
    await server.createQueues('gatehouse-test', ['later']);
    expect([await sqs.has(name), await sqs.count(name)]).toEqual([true, none]);
    expect(await sqs.send(name, [entry('a', 0)])).toEqual([]);
  });

  it('forgets where a queue was that is gone, and finds the one that is made in its place', async () => {
    await fresh('a');
    const client = new SQSClient(server.settings);
    const QueueUrl = `${server.settings.endpoint}/000000000000/${queue}`;
    await client.send(new DeleteQueueCommand({ QueueUrl }));
    client.destroy();
    await expect(sqs.send(queue, [entry('b', 0)])).rejects.toThrow(/./);
    expect(await sqs.send(queue, [entry('b', 0)])).toMatchObject([{ isQueueMissing: true }]);
    await server.createQueues('gatehouse-test', [`q${queues}`]);
    expect(await sqs.send(queue, [entry('b', 0)])).toEqual([]);
  });

  it('tells a server that does not answer from a queue that is not there', async () => {
    const away = openSqs({ ...server.settings, endpoint: 'http://127.0.0.1:1' });
    await expect(away.has(queue)).rejects.toThrow(`where the queue ${queue} is`);
    away.close();
  });

  it('empties a queue', async () => {
    await fresh('a', 'b');
    await sqs.purge(queue);
    expect(await sqs.count(queue)).toEqual({ visible: 0, hidden: 0 });
  });
});

describe('visibilitySeconds', () => {
  it.each([
    ['whole seconds', 30_000, 30],
    ['part of a second', 1, 1],
    ['a second and a part', 1_001, 2],
    ['nothing', 0, 0],
    ['more than twelve hours', 86_400_000, 43_200],
  ])('rounds %s up to what SQS knows', (_, ms, seconds) => {
    expect(visibilitySeconds(ms)).toBe(seconds);
  });
});

type Answers = Readonly<Record<string, Answer>>;
type Answer = Readonly<Record<string, unknown>> & { readonly status?: number };

/** SQS as far as these answers go; whatever else is asked waits for ever. */
async function against(
  answers: Answers,
  work: (sqs: Sqs, endpoint: string) => Promise<void>,
  callMs = 100,
): Promise<void> {
  const server = createServer((request, answer) => {
    const said = answers[String(request.headers['x-amz-target']).replace('AmazonSQS.', '')];
    if (said === undefined) return;
    const { status = 200, ...body } = said;
    answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    answer.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const opened = openSqs({
    ...{ region: 'eu-central-1', endpoint, callMs },
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  await work(opened, endpoint);
  opened.close();
  server.closeAllConnections();
  server.close();
}

const whereItIs = { GetQueueUrl: { QueueUrl: 'http://localhost/0/q.fifo' } };

describe('an SQS that hangs', () => {
  it.each<[string, Answers]>([
    ['finds a queue', {}],
    ['takes what is sent', whereItIs],
  ])(
    'is given up before the relay’s lock is, when it %s',
    (_, answers) =>
      against(answers, async (hanging) => {
        await expect(hanging.send('q.fifo', [entry('a', 0)])).rejects.toThrow();
      }),
    3_000,
  );
});

describe('an SQS whose place is named by the environment', () => {
  it('is asked there and nowhere else, wherever it says that its queues are', async () => {
    const DeleteMessageBatch = { Successful: [{ Id: '0' }], Failed: [] };
    await against({ ...whereItIs, DeleteMessageBatch }, async (_, endpoint) => {
      process.env['AWS_ENDPOINT_URL_SQS'] = endpoint;
      const named = openSqs({ ...server.settings, endpoint: undefined, callMs: 3_000 });
      try {
        expect(await named.delete('q.fifo', ['one'])).toEqual([true]);
      } finally {
        named.close();
        delete process.env['AWS_ENDPOINT_URL_SQS'];
      }
    });
  });
});

describe('an SQS that hides nothing', () => {
  it('is an outage where it says nothing about the handle', () => {
    const denied = { status: 403, __type: 'AccessDenied', message: 'no right to that' };
    return against({ ...whereItIs, ChangeMessageVisibility: denied }, async (refusing) => {
      await expect(refusing.hide('q.fifo', 'one', 30_000)).rejects.toThrow('no right to that');
    });
  });
});

describe('an SQS that deletes a part of a batch', () => {
  const deleting = (SenderFault: boolean, work: (sqs: Sqs) => Promise<void>) => {
    const Failed = [{ Id: '1', SenderFault, Code: 'Refused' }];
    const Successful = [{ Id: '0' }];
    return against({ ...whereItIs, DeleteMessageBatch: { Successful, Failed } }, work, 10_000);
  };

  it('says whose handle is worth nothing', () =>
    deleting(true, async (refusing) => {
      expect(await refusing.delete('q.fifo', ['one', 'two'])).toEqual([true, false]);
    }));

  it('is an outage where that is its own fault, and no handle is worth nothing by that', () =>
    deleting(false, async (failing) => {
      await expect(failing.delete('q.fifo', ['one', 'two'])).rejects.toThrow('did not delete');
    }));
});
