import { describe, expect, it } from 'vitest';
import { receiverOn } from '#events/sqs-queue/receiving.ts';
import type { Received, Sqs } from '#events/sqs-queue/sqs.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';

describe('receiving from more functions than there is room for', () => {
  it('polls them in turns, never more at once than there is room for', async () => {
    const { polled, end, receive, close } = opened();
    const waiting = receive(['one', 'two', 'three'], 1);
    for (const _ of [1, 2, 3]) {
      await turned();
      expect(polled.filter(({ isOver }) => !isOver)).toHaveLength(1);
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

type Poll = { readonly name: string; isOver: boolean; readonly end: (got: Received[]) => void };

/** SQS where nothing is, and where polls end when the test says so, the oldest first. */
function opened() {
  const { now, after } = timelineFrom(0);
  const polled: Poll[] = [];
  const receiveFrom: Sqs['receive'] = async (queue, { waitSeconds }) => {
    if (waitSeconds === 0) return [];
    const answer = Promise.withResolvers<Received[]>();
    const name = /-(\w+)\.fifo$/.exec(queue)?.[1] ?? '';
    polled.push({ name, isOver: false, end: answer.resolve });
    return await answer.promise;
  };
  const sqs: Sqs = {
    receive: receiveFrom,
    has: unused,
    send: unused,
    hide: unused,
    show: unused,
    delete: unused,
    count: unused,
    purge: unused,
    close: () => undefined,
  };
  const timing = { now, after };
  const receiver = receiverOn({ sqs, prefix: 'gatehouse-test', timing, pollSeconds: 5 });
  return {
    polled,
    end(got: Received[]) {
      const poll = polled.find(({ isOver }) => !isOver);
      if (poll === undefined) throw new Error('nobody polls');
      poll.isOver = true;
      poll.end(got);
    },
    receive: (functions: readonly string[], max: number) =>
      receiver.receive({ functions, max, visibilityMs: 30_000, waitMs: 60_000 }),
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
