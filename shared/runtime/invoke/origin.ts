import { prefixIn } from '#events/sqs-queue/addresses.ts';
import type { Mapped, MappedEndings } from '#events/sqs-queue/mapped.ts';
import type { SqsRecord } from './sqs-record.ts';

/** The queue that a batch came from, as far as its function acts on it by itself. It throws where SQS failed. */
export type Origin = {
  /** A copy with the reason among the dead letters. `false`: we know of none there. */
  bury(record: SqsRecord, why: string): Promise<boolean>;
  /** A copy to the end of its group, with no receives counted. `false`: as above. */
  renew(record: SqsRecord): Promise<boolean>;
  /** Now, and not after the answer. `false`: it is not ours any more. */
  settle(record: SqsRecord): Promise<boolean>;
};

export type OpenOrigin = () => Promise<Origin>;

/** A queue that is named otherwise is somebody's own, with a redrive policy of its own. */
export function originOn(endings: MappedEndings, functionName: string): Origin {
  const onOurs = async (record: SqsRecord, act: (mapped: Mapped) => Promise<void>) => {
    const mapped = mappedFrom(record, functionName);
    if (mapped !== undefined) await act(mapped);
    return mapped !== undefined;
  };
  return {
    bury: (record, why) => onOurs(record, (mapped) => endings.bury(mapped, why)),
    renew: (record) => onOurs(record, endings.renew),
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
