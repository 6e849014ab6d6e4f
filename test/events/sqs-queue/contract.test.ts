import { afterAll, beforeAll } from 'vitest';
import { queueContract } from '../../contracts/queue.ts';
import { lacks } from './lacks.ts';
import { functions, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

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
