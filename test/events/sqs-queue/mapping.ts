import { deadQueueName, queueName } from '#events/sqs-queue/addresses.ts';
import type { Received, Sqs } from '#events/sqs-queue/sqs.ts';
import type { SqsRecord } from '#shared/runtime/invoke/sqs-record.ts';
import type { Lambda } from '#test/support/bundles.ts';

export type Mapping = {
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly functionName: string;
  readonly lambda: Lambda;
};

type Answer = {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
  readonly outcomes: readonly { readonly outcome: { readonly kind: string } }[];
};

/**
 * What AWS's event source mapping does with ReportBatchItemFailures: hands a batch over, settles all that did not fail,
 * and lets the others be received again (AWS: when their visibility is over; here at once). fauxqs hands over one message
 * of a group in a call where AWS may hand over several: what becomes of those is in `sqs-batch.test.ts`.
 */
export async function passOn(
  { sqs, prefix, functionName, lambda }: Mapping,
  { settles = true } = {},
): Promise<Answer> {
  const queue = queueName(prefix, functionName);
  const received = await sqs.receive(queue, { max: 10, visibilityMs: 60_000, waitSeconds: 0 });
  const Records = received.map((each) => recordOf(each, queue));
  const answer = (await lambda.invoke({ Records })) as Answer;
  const failed = new Set(answer.batchItemFailures.map((each) => each.itemIdentifier));
  const settled = received.filter(({ messageId }) => settles && !failed.has(messageId));
  const left = received.filter((each) => !settled.includes(each));
  await sqs.delete(
    queue,
    settled.map(({ handle }) => handle),
  );
  await sqs.show(
    queue,
    left.map(({ handle }) => handle),
  );
  return answer;
}

function recordOf(
  { messageId, handle, body, group, received }: Received,
  queue: string,
): SqsRecord {
  return {
    ...{ messageId, body, receiptHandle: handle },
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    attributes: { MessageGroupId: group, ApproximateReceiveCount: `${received}` },
  };
}

/** How many lie there, whoever holds them. */
export async function countsOf({ sqs, prefix, functionName }: Mapping) {
  const [queue, dead] = await Promise.all(
    [queueName, deadQueueName].map((named) => sqs.count(named(prefix, functionName))),
  );
  return { queue: all(queue), dead: all(dead) };
}

function all(counts = { visible: 0, hidden: 0 }): number {
  return counts.visible + counts.hidden;
}
