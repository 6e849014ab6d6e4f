import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { type FindUrl, queueUrls } from './queue-urls.ts';

/** As the SDK takes them; what is left out, it finds in its environment. */
export type SqsSettings = {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
  /** So long a call may take that finds a queue or sends to it, however often the SDK tries. */
  readonly callMs?: number | undefined;
};

export type Entry = {
  readonly id: string;
  readonly body: string;
  readonly group: string;
  readonly deduplication: string;
};

export type Received = {
  readonly handle: string;
  readonly messageId: string;
  readonly body: string;
  readonly group: string;
  readonly received: number;
};

export type Counts = { readonly visible: number; readonly hidden: number };

/** SQS as far as it is used here: queues by name, batches of any length, answers as values. One that is not there is empty. */
export type Sqs = {
  has(queue: string): Promise<boolean>;
  /** At most ten. Those that were not taken, with the reason; all of them where there is no such queue. */
  send(queue: string, entries: readonly Entry[]): Promise<readonly Failed[]>;
  receive(
    queue: string,
    how: { readonly max: number; readonly visibilityMs: number; readonly waitSeconds: number },
  ): Promise<readonly Received[]>;
  /** `false`: the handle is worth nothing any more. */
  hide(queue: string, handle: string, visibilityMs: number): Promise<boolean>;
  show(queue: string, handles: readonly string[]): Promise<void>;
  delete(queue: string, handles: readonly string[]): Promise<readonly boolean[]>;
  count(queue: string): Promise<Counts>;
  purge(queue: string): Promise<void>;
  close(): void;
};

export type Failed = {
  readonly id: string;
  readonly why: string;
  /** It would be the same with every other message of that queue. */
  readonly isQueueMissing?: true;
};

/** Whole seconds, and never more than SQS has. */
export function visibilitySeconds(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms / 1_000), 0), 43_200);
}

/** A turn of the relay lasts 10 s; two calls that begin with its end are over before the database ends its transaction. */
const longestCallMs = 8_000;

export function openSqs(settings: SqsSettings): Sqs {
  const { region, endpoint, credentials, callMs = longestCallMs } = settings;
  const client = new SQSClient({
    // An endpoint that somebody names (`AWS_ENDPOINT_URL_SQS`, of a private network) counts for every call.
    useQueueUrlAsEndpoint: false,
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  const findUrl = queueUrls(client, callMs);
  const urlOf = async (queue: string): Promise<string> => {
    const url = await findUrl(queue);
    if (url === undefined) throw new Error(noQueue(queue));
    return url;
  };
  return {
    has: async (queue) => (await findUrl(queue)) !== undefined,
    ...movingOn(client, { findUrl, urlOf, callMs }),
    ...hidingOn(client, urlOf),
    ...emptyingOn(client, { findUrl, urlOf }),
    count: (queue) => count(client, findUrl, queue),
    close: () => client.destroy(),
  };
}

type UrlOf = (queue: string) => Promise<string>;
type Urls = { readonly findUrl: FindUrl; readonly urlOf: UrlOf };

function noQueue(queue: string): string {
  return `SQS has no queue ${queue}`;
}

function movingOn(
  client: SQSClient,
  { findUrl, urlOf, callMs }: Urls & { readonly callMs: number },
): Pick<Sqs, 'send' | 'receive'> {
  return {
    async send(queue, entries) {
      const url = await findUrl(queue);
      if (url === undefined) {
        return entries.map(({ id }) => ({ id, why: noQueue(queue), isQueueMissing: true }));
      }
      const Entries = entries.map(({ id, body, group, deduplication }) => {
        const ids = { MessageGroupId: group, MessageDeduplicationId: deduplication };
        return { Id: id, MessageBody: body, ...ids };
      });
      const input = { QueueUrl: url, Entries };
      const { Failed = [] } = await client.send(new SendMessageBatchCommand(input), {
        abortSignal: AbortSignal.timeout(callMs),
      });
      return Failed.map((entry) => ({ id: entry.Id ?? '', why: whyOf(entry) }));
    },
    async receive(queue, { max, visibilityMs, waitSeconds }) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: await urlOf(queue),
          MaxNumberOfMessages: max,
          VisibilityTimeout: visibilitySeconds(visibilityMs),
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId'],
        }),
      );
      return Messages.map(receivedFrom);
    },
  };
}

async function count(client: SQSClient, findUrl: FindUrl, queue: string): Promise<Counts> {
  const QueueUrl = await findUrl(queue);
  if (QueueUrl === undefined) return { visible: 0, hidden: 0 };
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
    hidden: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
  };
}

function hidingOn(client: SQSClient, urlOf: UrlOf): Pick<Sqs, 'hide' | 'show'> {
  return {
    async hide(queue, handle, visibilityMs) {
      const VisibilityTimeout = visibilitySeconds(visibilityMs);
      const input = { QueueUrl: await urlOf(queue), ReceiptHandle: handle, VisibilityTimeout };
      try {
        await client.send(new ChangeMessageVisibilityCommand(input));
        return true;
      } catch (cause: unknown) {
        if (isTooLate(cause)) return false;
        throw cause;
      }
    },
    async show(queue, handles) {
      for (const batch of batches(handles)) {
        const Entries = batch.map((ReceiptHandle, at) => {
          return { Id: `${at}`, ReceiptHandle, VisibilityTimeout: 0 };
        });
        const input = { QueueUrl: await urlOf(queue), Entries };
        await client.send(new ChangeMessageVisibilityBatchCommand(input));
      }
    },
  };
}

function emptyingOn(client: SQSClient, { findUrl, urlOf }: Urls): Pick<Sqs, 'delete' | 'purge'> {
  return {
    async delete(queue, handles) {
      const answers: boolean[] = [];
      for (const batch of batches(handles)) {
        const Entries = batch.map((ReceiptHandle, at) => ({ Id: `${at}`, ReceiptHandle }));
        const input = { QueueUrl: await urlOf(queue), Entries };
        const { Failed = [] } = await client.send(new DeleteMessageBatchCommand(input));
        const outage = Failed.find(({ SenderFault }) => SenderFault !== true);
        if (outage !== undefined) throw new Error(`SQS did not delete: ${whyOf(outage)}`);
        // What is the sender's fault: a handle that ran out.
        answers.push(...batch.map((_, at) => !Failed.some(({ Id }) => Id === `${at}`)));
      }
      return answers;
    },
    async purge(queue) {
      const QueueUrl = await findUrl(queue);
      if (QueueUrl !== undefined) await client.send(new PurgeQueueCommand({ QueueUrl }));
    },
  };
}

function receivedFrom({ ReceiptHandle, MessageId, Body, Attributes = {} }: Message): Received {
  return {
    handle: ReceiptHandle ?? '',
    messageId: MessageId ?? '',
    body: Body ?? '',
    group: Attributes.MessageGroupId ?? '',
    received: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}

const tooLate = ['MessageNotInflight', 'ReceiptHandleIsInvalid', 'InvalidParameterValue'];

/** Servers name them with and without `AWS.SimpleQueueService.` in front. */
function isTooLate(cause: unknown): boolean {
  return cause instanceof SQSServiceException && tooLate.some((name) => cause.name.endsWith(name));
}

function whyOf({ Code, Message }: BatchResultErrorEntry): string {
  return `${Code ?? 'no code'}: ${Message ?? 'no message'}`;
}

function batches<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / 10) }, (_, at) =>
    all.slice(at * 10, at * 10 + 10),
  );
}
