import { suspectAfter } from '#events/queue.ts';
import type { SqsRecord } from './sqs-record.ts';

/** Messages of one group, in their order. */
export type Group = readonly SqsRecord[];

export type Turns = {
  readonly together: readonly Group[];
  /** One may kill the process: each runs when all before it are settled. */
  readonly alone: readonly Group[];
};

export function turnsOf(records: readonly SqsRecord[]): Turns {
  const groups = [...Map.groupBy(records, groupOf).values()];
  const alone = groups.filter((group) => received(group) > suspectAfter);
  return { together: groups.filter((group) => !alone.includes(group)), alone: inTurn(alone) };
}

/** A queue without groups promises no order: each message is a group of its own. */
function groupOf({ attributes, messageId }: SqsRecord): string {
  return attributes?.MessageGroupId ?? messageId;
}

/**
 * Back and forth with each receive: SQS has counted it for all of them, and whoever stands behind the one that kills this
 * time stands before it the next.
 */
function inTurn(groups: readonly Group[]): readonly Group[] {
  const forth = groups.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return Math.max(...groups.map(received)) % 2 === 0 ? forth : forth.toReversed();
}

function idOf([first]: Group): string {
  return first?.messageId ?? '';
}

/** Of its messages, the most. */
function received(group: Group): number {
  return Math.max(...group.map(countOf));
}

/** How often SQS handed it over, this time included. */
export function countOf({ attributes }: SqsRecord): number {
  return Number(attributes?.ApproximateReceiveCount ?? 1);
}
