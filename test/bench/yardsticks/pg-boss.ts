import { PgBoss, type QueuePolicy } from 'pg-boss';
import { analyzed, as } from '../queue/database.ts';
import { messagesOf } from '../queue/messages.ts';
import { batch, lanes, type QueueSide } from '../queue/side.ts';
import { say } from '../support/bench.ts';

const queue = 'bench';

/**
 * Its nearest configuration is the policy `key_strict_fifo`: one job of a key at a time, in order. `standard` knows no
 * order, and is the fastest it has. No supervision, no cron: nothing but jobs.
 */
export async function pgBossSide(url: string, policy: QueuePolicy): Promise<QueueSide> {
  const boss = new PgBoss({
    ...{ connectionString: url, max: lanes, supervise: false, schedule: false },
  });
  // It reports what happens beside its calls as an event, which ends the process where nobody hears it.
  boss.on('error', (error) => say(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(queue, { policy, deleteAfterSeconds: 0 });
  return {
    async fill(count, groups) {
      await as(url, (sql) => sql`delete from pgboss.job`);
      for (let from = 0; from < count; from += 500) {
        await boss.insert(queue, jobsOf(from, Math.min(500, count - from), groups));
      }
      await analyzed(url);
    },
    async takeBatch() {
      const jobs = await boss.fetch(queue, { batchSize: batch });
      if (jobs.length === 0) return 0;
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
      return jobs.length;
    },
    close: () => boss.stop({ graceful: false }),
  };
}

function jobsOf(from: number, count: number, groups: number) {
  return messagesOf(queue, from, count, groups).map(({ group, body, eventId }) => ({
    data: { body, eventId },
    singletonKey: group,
  }));
}
