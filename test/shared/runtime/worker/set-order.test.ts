import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { done } from '#shared/domain/outcome.ts';
import { openStage, type PostgresStage } from '#test/events/postgres-queue/stage.ts';
import { reconcileBy } from '#test/support/running.ts';
import { foundOf, messageOf, workplace } from '#test/support/working.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** One more than a page: a page that waited for its turn on the queue would wait behind the echoes of the one before. */
const members = Array.from({ length: 501 }, (_, at) => `uid-${1_000 + at}`);

describe('a set of several pages', () => {
  it('has all of its runs before what the first of them cause', async () => {
    const { promise: allRan, resolve } = Promise.withResolvers<void>();
    const left = new Set(members);
    let echoes = 0;
    const definition = reconcileBy(async (wake) => {
      const name = wake.kind === 'object' ? wake.name : '';
      if (!left.delete(name)) {
        echoes += 1;
        return done;
      }
      await stage.queue.send([messageOf({ name: `echo of ${name}` })]);
      if (left.size === 0) resolve();
      return done;
    });
    const { worker } = workplace([definition], {
      queueSeen: () => stage.queue,
      groups: 4,
      members: async ({ after }, max) =>
        foundOf(
          members
            .filter((uid) => uid > after)
            .slice(0, max)
            .map((uid) => ({ namespace: 'team-a', name: uid, uid })),
        ),
    });
    // Even where it takes too long: at a queue that is closed it would turn without a rest, and the thread never end.
    onTestFinished(() => worker.stop(1_000));
    const at = { cluster: 'default', group: '', resource: 'configmaps', namespace: 'team-a' };
    await stage.queue.send([
      messageFor('follow-maps', { kind: 'set', ...at, after: '' }, 'ns/7/modified'),
    ]);
    await allRan;
    // Of the first page some run while the next one is being made.
    expect(echoes).toBeLessThan(100);
  });
});
