import { afterAll, beforeAll } from 'vitest';
import { queueContract } from '../../contracts/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
let cases = 0;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

queueContract('queue in Postgres', async () => {
  cases += 1;
  const functions = [`one-${cases}`, `two-${cases}`, `three-${cases}`] as const;
  return {
    ...{ queue: stage.queue, functions, begin: stage.begin },
    advance: (ms) => stage.advance(functions, ms),
    // What a case leaves in hand would keep the next one's suspects waiting.
    end: () => stage.advance(functions, 24 * 3_600_000),
  };
});
