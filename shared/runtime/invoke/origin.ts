import { prefixIn } from '#events/sqs-queue/addresses.ts';
import type { Mapped, MappedEndings, Renewal } from '#events/sqs-queue/mapped.ts';
import type { SqsRecord } from './sqs-record.ts';

/** The queue that a batch came from, as far as its function acts on it by itself. It throws where SQS failed. */
export type Origin = {
  /** A copy with the reason among the dead letters. `false`: we know of none there. */
  bury(record: SqsRecord, why: string): Promise<boolean>;
  /** Copies to the ends of their groups, in their order, with no receives counted. An answer for each. */
  renew(records: readonly SqsRecord[]): Promise<readonly (Renewal | Foreign)[]>;
  /** Now, and not after the answer. `false`: it is not ours any more. */
  settle(record: SqsRecord): Promise<boolean>;
};

/** Of a queue that is named otherwise. */
export type Foreign = { readonly kind: 'foreign' };

export type OpenOrigin = () => Promise<Origin>;

/** A queue that is named otherwise is somebody's own, with a redrive policy of its own. */
export function originOn(endings: MappedEndings, functionName: string): Origin {
  return {
    async bury(record, why) {
      const mapped = mappedFrom(record, functionName);
      if (mapped !== undefined) await endings.bury(mapped, why);
      return mapped !== undefined;
    },
    async renew(records) {
      const mapped = records.flatMap((record) => mappedFrom(record, functionName) ?? []);
      // All come from one queue.
      return mapped.length < records.length
        ? records.map(() => ({ kind: 'foreign' }))
        : endings.renew(mapped);
    },
    async settle(record) {
      const mapped = mappedFrom(record, functionName);
      return mapped !== undefined && (await endings.settle(mapped));
    },
  };
}

function mappedFrom(record: SqsRecord, functionName: string): Mapped | undefined {
  const { messageId, body, receiptHandle = '', eventSourceARN = '', attributes = {} } = record;
  const prefix = prefixIn(eventSourceARN, functionName);
  if (prefix === undefined) return undefined;
  return {
    ...{ messageId, body, prefix, function: functionName, handle: receiptHandle },
    group: attributes.MessageGroupId ?? messageId,
    received: Number(attributes.ApproximateReceiveCount ?? 1),
  };
}
