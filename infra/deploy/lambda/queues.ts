import { unnameable } from '#events/sqs-queue/addresses.ts';
import type { Definition } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { timeoutSeconds } from './timeout.ts';
import { stage } from './variables.ts';

const days = 24 * 60 * 60;
/** As long as SQS can: what is not taken until then it drops without a word. */
const keptDays = 14;

/** A message that was received so often without being settled kills its handler. */
const maxReceiveCount = 10;

/** For each function that messages wake: its queue, and the one where what it gave up or never settled is buried. */
export function queues(functions: readonly Definition[]): JsonObject {
  const woken = functions.filter(({ shape }) => shape === 'reconcile');
  refuseUnnameable(woken);
  return Object.fromEntries(
    woken.flatMap((definition) => [
      [queueName(definition.name), queue(definition)],
      [deadQueueName(definition.name), deadLetters(definition)],
    ]),
  );
}

/** The stage is said when deploying: here it has one letter. */
function refuseUnnameable(woken: readonly Definition[]): void {
  const why = unnameable(
    'gatehouse-s',
    woken.map(({ name }) => name),
  );
  if (why !== undefined) throw new Error(`${why}\n  to mend it: give the function another name`);
}

export function queueName(name: string): string {
  return `${pascal(name)}Queue`;
}

export function deadQueueName(name: string): string {
  return `${queueName(name)}Dead`;
}

/** CloudFormation's names are letters and digits. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function queue(definition: Definition): JsonObject {
  const { name } = definition;
  return fifo(name, {
    // AWS's own advice, so that throttled invocations do not use up receives.
    VisibilityTimeout: 6 * timeoutSeconds(definition),
    MessageRetentionPeriod: keptDays * days,
    RedrivePolicy: {
      deadLetterTargetArn: { 'Fn::GetAtt': [deadQueueName(name), 'Arn'] },
      maxReceiveCount,
    },
  });
}

function deadLetters({ name }: Definition): JsonObject {
  return fifo(`${name}-dead`, { MessageRetentionPeriod: keptDays * days });
}

/** Groups are objects: each in its own order, all of them side by side. */
function fifo(name: string, properties: JsonObject): JsonObject {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: `gatehouse-${stage}-${name}.fifo`,
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      SqsManagedSseEnabled: true,
      ...properties,
    },
  };
}
