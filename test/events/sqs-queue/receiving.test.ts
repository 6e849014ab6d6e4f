import { describe, expect, it } from 'vitest';
import { ailingOn } from '#events/sqs-queue/ailing.ts';
import { receiverOn } from '#events/sqs-queue/receiving.ts';
import type { Received, Sqs } from '#events/sqs-queue/sqs.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';

describe('receiving from more functions than there is room for', () => {
  it('polls them in turns, never more at once than there is room for', async () => {
    const { polled, end, receive, close } = opened();
    const waiting = receive(['one', 'two', 'three'], 1);
    for (const _ of [1, 2, 3]) {
      await turned();
      expect(polled.filter(({ isOver }) => !isOver)).toMatchObject([{ waitSeconds: 1 }]);
      end([]);
    }
    await turned();
    expect(new Set(polled.map(({ name }) => name))).toEqual(new Set(['one', 'two', 'three']));
    end([message('found')]);
    expect(await waiting).toMatchObject([{ body: 'found' }]);
    await close();
  });

  it('polls all of them at once where there is room', async () => {
    const { polled, end, receive, close } = opened();
    const waiting = receive(['one', 'two', 'three'], 3);
    await turned();
    expect(polled.map(({ name }) => name).toSorted()).toEqual(['one', 'three', 'two']);
    expect(new Set(polled.map(({ waitSeconds }) => waitSeconds))).toEqual(new Set([5]));
    end([message('found')]);
    expect(await waiting).toMatchObject([{ body: 'found' }]);
    end([]);
    end([]);
    await close();
  });

  it('begins no second poll of a function that is polled already', async () => {
    const { polled, end, receive, close } = opened();
    const both = [receive(['one'], 5), receive(['one'], 5)];
    await turned();
    expect(polled).toHaveLength(1);
    end([message('a')]);
    await turned();
    end([message('b')]);
    expect((await Promise.all(both)).flat().map(({ body }) => body)).toEqual(['a', 'b']);
    await close();
  });
});

describe('what polls brought when their receiver had gone', () => {
  const late = async (opening: ReturnType<typeof opened>) => {
    const { end, receive } = opening;
    const first = receive(['one', 'two', 'three'], 5);
    await turned();
    end([message('first')]);
    await first;
    end([message('late')]);
    end([message('later')]);
    await turned();
    return opening;
  };

  it('is handed over, and no more of it than is asked for', async () => {
    const { receive, close } = await late(opened());
    const received = [];
    for (const _ of [1, 2]) received.push(await receive(['one', 'two', 'three'], 1, 0));
    expect(received).toMatchObject([[{ body: 'late' }], [{ body: 'later' }]]);
    await close();
  });

  it.each<[string, number, () => Promise<boolean>]>([
    ['its time is over', 30_000, async () => true],
    ['SQS says that it is not ours any more', 4_000, async () => false],
  ])('is left to others where %s', async (_, ms, hide) => {
    const { end, receive, advance, close } = await late(opened({}, hide));
    advance(ms);
    const second = receive(['one', 'two', 'three'], 5);
    await turned();
    end([message('fresh')]);
    expect(await second).toMatchObject([{ body: 'fresh' }]);
    end([]);
    end([]);
    await close();
  });
});

it('does not wait for a poll once it is told to stop', async () => {
  const { polled, end, receive, close } = opened();
  const stopping = new AbortController();
  const waiting = receive(['one'], 5, 60_000, stopping.signal);
  await turned();
  stopping.abort();
  await turned();
  expect(await Promise.race([waiting, turned()])).toEqual([]);
  expect(polled).toMatchObject([{ isOver: false }]);
  end([]);
  await close();
});

describe('a queue that cannot be asked', () => {
  it('loses nothing that others handed over, and is told of once', async () => {
    const { asked, troubles, broken, receive, advance, close } = opened({ one: 3 });
    broken.add('two');
    expect(await receive(['two', 'one'], 1, 0)).toMatchObject([{ body: 'one 3' }]);
    expect(await receive(['two', 'one'], 1, 0)).toMatchObject([{ body: 'one 2' }]);
    expect(asked.filter((name) => name === 'two')).toHaveLength(1);
    advance(5_000);
    expect(await receive(['two', 'one'], 10, 0)).toMatchObject([{ body: 'one 1' }]);
    expect(asked.filter((name) => name === 'two')).toHaveLength(2);
    expect(troubles).toMatchObject([{ message: 'two is denied' }]);
    await close();
  });

  it('does not end the wait for others, and is asked again after a while', async () => {
    const { polled, troubles, broken, receive, end, advance, close } = opened();
    const waiting = receive(['one', 'two'], 5);
    await turned();
    broken.add('two');
    polled.find(({ name }) => name === 'two')?.fail();
    await turned();
    expect(polled).toHaveLength(2);
    expect(troubles).toHaveLength(1);
    broken.clear();
    advance(5_000);
    await turned();
    expect(polled.map(({ name }) => name)).toContain('two');
    expect(polled).toHaveLength(3);
    end([message('found')]);
    expect(await waiting).toMatchObject([{ body: 'found' }]);
    end([]);
    await close();
  });

  it('keeps what a poll brought where another one’s time cannot be put off', async () => {
    const { end, receive, advance, polled, close } = opened();
    const first = receive(['one', 'two', 'three'], 5);
    await turned();
    end([message('first')]);
    await first;
    end([message('late')]);
    await turned();
    advance(4_000);
    const second = receive(['one', 'two', 'three'], 5);
    await turned();
    for (const { isOver } of polled) if (!isOver) end([message('fresh')]);
    expect((await second).map(({ body }) => body)).toEqual(['fresh', 'fresh']);
    await close();
  });

  it('is an outage where no other one answers, and all are asked at once afterwards', async () => {
    const { asked, broken, receive, close } = opened({ one: 1 });
    broken.add('one').add('two');
    await expect(receive(['one', 'two'], 5, 0)).rejects.toThrow('is denied');
    broken.clear();
    asked.length = 0;
    expect(await receive(['one', 'two'], 5, 0)).toHaveLength(1);
    expect(new Set(asked)).toEqual(new Set(['one', 'two']));
    await close();
  });
});

describe('what it costs to receive', () => {
  it('one message that lies there: a call a function, and two for what may be behind it', async () => {
    const { asked, receive, close } = opened({ one: 1 });
    expect(await receive(['one', 'two', 'three'], 10, 0)).toHaveLength(1);
    expect(asked).toHaveLength(5);
    await close();
  });

  it('many of one function: no more calls than twice their number, and few turns', async () => {
    const { asked, receive, close } = opened({ one: 48 });
    expect(await receive(['one', 'two', 'three'], 48, 0)).toHaveLength(48);
    expect(asked.length).toBeLessThanOrEqual(50);
    await close();
  });

  it('nothing of whom a poll asks already', async () => {
    const { asked, polled, end, receive, close } = opened();
    const first = receive(['one', 'two'], 5);
    await turned();
    end([message('a')]);
    await first;
    asked.length = 0;
    const second = receive(['one', 'two'], 5);
    await turned();
    expect(asked).toEqual([polled[0]?.name]);
    end([message('b')]);
    await second;
    end([]);
    await close();
  });
});

type Poll = {
  readonly name: string;
  readonly waitSeconds: number;
  isOver: boolean;
  readonly end: (got: Received[]) => void;
  readonly fail: () => void;
};

/** SQS where so many lie there, and where polls end when the test says so, the oldest first. */
function opened(lying: Readonly<Record<string, number>> = {}, hide: Sqs['hide'] = unused) {
  const left = new Map(Object.entries(lying));
  const asked: string[] = [];
  const { now, after, advance } = timelineFrom(0);
  const broken = new Set<string>();
  const troubles: unknown[] = [];
  const polled: Poll[] = [];
  const receiveFrom: Sqs['receive'] = async (queue, { waitSeconds }) => {
    const name = /-(\w+)\.fifo$/.exec(queue)?.[1] ?? '';
    if (waitSeconds === 0) {
      asked.push(name);
      if (broken.has(name)) throw new Error(`${name} is denied`);
      const count = left.get(name) ?? 0;
      left.set(name, count - 1);
      return count > 0 ? [message(`${name} ${count}`)] : [];
    }
    const answer = Promise.withResolvers<Received[]>();
    const fail = () => {
      poll.isOver = true;
      answer.reject(new Error(`${name} is denied`));
    };
    const poll: Poll = { name, waitSeconds, isOver: false, end: answer.resolve, fail };
    polled.push(poll);
    return await answer.promise;
  };
  const sqs: Sqs = {
    receive: receiveFrom,
    has: unused,
    send: unused,
    hide,
    show: unused,
    delete: unused,
    count: unused,
    purge: unused,
    close: () => undefined,
  };
  const timing = { now, after };
  const ailing = ailingOn(timing, (cause) => void troubles.push(cause));
  const receiver = receiverOn({ sqs, prefix: 'gatehouse-test', timing, ailing, pollSeconds: 5 });
  return {
    ...{ polled, asked, broken, troubles, advance },
    end(got: Received[]) {
      const poll = polled.find(({ isOver }) => !isOver);
      if (poll === undefined) throw new Error('nobody polls');
      poll.isOver = true;
      poll.end(got);
    },
    receive: (
      functions: readonly string[],
      max: number,
      waitMs = 60_000,
      signal = new AbortController().signal,
    ) => receiver.receive({ functions, max, visibilityMs: 30_000, waitMs, signal }),
    close: receiver.close,
  };
}

function unused(): never {
  throw new Error('nobody needs it here');
}

function message(body: string): Received {
  return { handle: body, messageId: body, body, group: 'g', received: 1 };
}

/** Everything that waits for nothing but its turn has had it. */
async function turned(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
