import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

export type UrlOf = (queue: string) => Promise<string>;

/** SQS says where a queue of a name is; once is enough. */
export function queueUrls(client: SQSClient): UrlOf {
  const known = new Map<string, Promise<string>>();
  const ask = async (queue: string): Promise<string> => {
    try {
      const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queue }));
      return QueueUrl ?? '';
    } catch (cause: unknown) {
      throw new Error(`SQS does not say where the queue ${queue} is`, { cause });
    }
  };
  return (queue) => {
    const url = known.get(queue) ?? ask(queue);
    known.set(queue, url);
    // Asked again the next time: the queue may be there by then.
    url.catch(() => known.delete(queue));
    return url;
  };
}
