import type { Lacks } from '../../contracts/queue.ts';

/** What SQS has no promise of, whatever stands before it. */
export const lacks: Lacks = {
  merging: 'what the relay has handed on, SQS keeps as it is',
  peek: 'SQS shows a message only by receiving it',
  'fair-groups': 'which group comes next is for SQS to choose',
  'uncounted-release': 'SQS counts every receiving, and cannot be told',
  'exact-purge': 'SQS empties a queue as a whole and counts about',
  alone: 'SQS hands over, and counts, before anybody sees how often it has done so',
  oldest: 'SQS tells it by CloudWatch alone',
};
