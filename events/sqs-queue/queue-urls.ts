import { GetQueueUrlCommand, type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';

/** Where the queue of a name is. `undefined`: there is none. */
export type FindUrl = (queue: string) => Promise<string | undefined>;

/** SQS says where a queue of a name is; once is enough, until it says that it is gone. */
export function queueUrls(client: SQSClient, callMs: number): FindUrl {
  const known = new Map<string, Promise<string | undefined>>();
  const ask = async (queue: string): Promise<string | undefined> => {
    try {
      const asking = new GetQueueUrlCommand({ QueueName: queue });
      const { QueueUrl } = await client.send(asking, { abortSignal: AbortSignal.timeout(callMs) });
      return QueueUrl;
    } catch (cause: unknown) {
      if (isMissing(cause)) return undefined;
      throw new Error(`SQS does not say where the queue ${queue} is`, { cause });
    }
  };
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (cause: unknown) {
        if (isMissing(cause) && 'QueueUrl' in args.input) known.delete(nameIn(args.input.QueueUrl));
        throw cause;
      }
    },
    { step: 'initialize' },
  );
  return async (queue) => {
    const asked = known.get(queue) ?? ask(queue);
    known.set(queue, asked);
    let url: string | undefined;
    try {
      url = await asked;
      return url;
    } finally {
      // Asked again the next time: the queue may be there by then.
      if (url === undefined) known.delete(queue);
    }
  };
}

function nameIn(url = ''): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Servers name it with and without `AWS.SimpleQueueService.` in front. */
function isMissing(cause: unknown): boolean {
  if (!(cause instanceof SQSServiceException)) return false;
  return /(QueueDoesNotExist|NonExistentQueue)$/.test(cause.name);
}
