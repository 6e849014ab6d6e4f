import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '#events/sqs-queue/addresses.ts';
import type { Sqs } from '#events/sqs-queue/sqs.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import { openSqsStage, type SqsStage } from '#test/events/sqs-queue/opened.ts';
import { reconcileBy } from '#test/support/running.ts';
import { eventually, messageOf, workplace } from '#test/support/working.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

type Hide = Sqs['hide'];
const refused: Hide = async () => false;
const unanswered: Hide = async () => {
  throw new Error('SQS is away');
};

describe('a run on SQS whose message is not kept for it', () => {
  it.each<[string, Hide]>([
    ['SQS refuses to extend it', refused],
    ['SQS does not answer until its visibility is over', unanswered],
  ])('is stopped and ends nobody else’s message, where %s', async (_, hide) => {
    let deleted = 0;
    const opened = await stage.open((sqs) => ({
      ...sqs,
      hide,
      delete(queue, handles) {
        deleted += 1;
        return sqs.delete(queue, handles);
      },
    }));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let deadline: AbortSignal | undefined;
    const definition = {
      ...reconcileBy((_wake, _ports, run) => {
        deadline ??= run?.deadline;
        return promise;
      }),
      ...{ name: 'one', deadlineMs: 20_000 },
    };
    const place = workplace([definition], { queueSeen: () => opened.queue, visibilityMs: 1_000 });
    await opened.queue.send([messageOf({}, { function: 'one' })]);
    await eventually(() => expect(deadline?.aborted).toBe(true));
    await place.worker.stop(0);

    stage.server.advance(2_000);
    const queue = queueName(opened.prefix, 'one');
    const [theirs] = await stage.sqs.receive(queue, oneNow);
    resolve(done);
    await promise;
    // On a slow machine it is received once more.
    const outcomes = new Set(place.worked.map(({ outcome }) => outcome));
    expect([...outcomes]).toEqual(['given-back']);
    expect(deleted).toBe(0);
    expect(await stage.sqs.delete(queue, [theirs?.handle ?? ''])).toEqual([true]);
  });
});

const oneNow = { max: 1, visibilityMs: 60_000, waitSeconds: 0 };
