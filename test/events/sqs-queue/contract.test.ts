import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Case, stageOn } from '../../contracts/queue/stage.ts';
import { queueContract, themes } from '../../contracts/queue.ts';
import { lacks } from './lacks.ts';
import { functions, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
beforeAll(async () => {
  stage = await openSqsStage();
});
afterAll(() => stage.close());

queueContract('SQS by fauxqs, behind an outbox in memory', openOne, lacks);

const cases = Object.values(themes).flat();

describe('what SQS has no promise of', () => {
  it.each(Object.keys(lacks))('is still broken by a case that needs it: %s', async (ability) => {
    const isLacked = (each: string): boolean => each in lacks;
    const needing = cases.filter(({ needs = [] }) => needs.filter(isLacked).join() === ability);
    let isKept = true;
    for (const { run } of needing) isKept &&= await holds(run);
    expect(isKept).toBe(false);
  });
});

async function holds(run: Case['run']): Promise<boolean> {
  return run(stageOn(await openOne())).then(
    () => true,
    () => false,
  );
}

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
