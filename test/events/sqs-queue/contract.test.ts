import { afterAll, beforeAll } from 'vitest';
import { queueContract } from '../../contracts/queue.ts';
import { functions, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

const lacks = {
  merging: 'what the relay has handed on, SQS keeps as it is',
  peek: 'SQS shows a message only by receiving it',
  'fair-groups': 'which group comes next is for SQS to choose',
  'uncounted-release': 'SQS counts every receiving, and cannot be told',
  'exact-purge': 'SQS empties a queue as a whole and counts about',
  oldest: 'SQS tells it by CloudWatch alone',
};

queueContract('SQS by fauxqs, behind an outbox in memory', openOne, lacks);

async function openOne() {
  const { queue, outbox } = await stage.open();
  return {
    ...{ queue, functions },
    advance: stage.server.advance,
    async begin() {
      const transaction = outbox.open();
      return {
        ...transaction,
        async commit() {
          transaction.commit();
          // Nothing to send: it only wakes the relay.
          await queue.send([]);
        },
      };
    },
  };
}
