import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { envelopeFor, written } from '#events/sqs-queue/envelope.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { done } from '#shared/domain/outcome.ts';
import { openUpkeep } from '#shared/runtime/invoke/open-upkeep.ts';
import { sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import type { Ran } from '#shared/runtime/reconcile.ts';
import { doorWith, meansWith } from '#test/support/invoking.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';

let fresh: FreshDatabase;
let database: Database;
/** The server may have to be started. */
beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, { name: 'test', connections: 1 });
}, 30_000);
beforeEach(() => database.sql`truncate wakeups`);
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const recordOf = (uid: string, attempt: number) => {
  const message = messageFor('follow-maps', mapChanged({ uid }), `${uid}/7/MODIFIED`);
  const enveloped = envelopeFor({ ...message, attempt }, { id: `row-${uid}`, sentAtMs: 0 });
  const attributes = { MessageGroupId: message.group };
  return { messageId: uid, body: written(enveloped).text, attributes };
};

/** A call of Lambda: each of these runs so. */
function batch(fates: Readonly<Record<string, Ran>>, attempt = 0) {
  const door = doorWith(
    Object.fromEntries(Object.entries(fates).map(([uid, ran]) => [`${uid}/7/MODIFIED`, ran])),
  );
  const open = () =>
    openUpkeep(
      database,
      reconcileBy(() => done),
    );
  return sqsBatch(
    door,
    meansWith({}, open),
  )({ Records: Object.keys(fates).map((uid) => recordOf(uid, attempt)) });
}

function wakeups() {
  return database.sql`
    select function, reason, subject, event_id, attempt, body::jsonb ->> 'uid' as uid,
      extract(epoch from due_at - now())::float8 as "seconds"
    from wakeups order by subject`;
}

describe('the upkeep of a Lambda function on a database', () => {
  it('has later and retry in wakeups, and what is done not', async () => {
    const answer = await batch(
      {
        a: { kind: 'later', afterSeconds: 600 },
        b: { kind: 'retry', why: 'away' },
        c: { kind: 'done' },
      },
      2,
    );
    expect(answer.batchItemFailures).toEqual([]);
    const found = await wakeups();
    const shared = { function: 'follow-maps' };
    expect(found).toMatchObject([
      { ...shared, reason: 'later', subject: 'a', uid: 'a', event_id: 'a/7/MODIFIED', attempt: 0 },
      { ...shared, reason: 'retry', subject: 'b', uid: 'b', event_id: 'b/7/MODIFIED', attempt: 3 },
    ]);
    const [later, retry] = found.map((each) => Number(each['seconds']));
    expect(later).toBeGreaterThan(570);
    expect(later).toBeLessThanOrEqual(600);
    expect(retry).toBeGreaterThan(-30);
    expect(retry).toBeLessThanOrEqual(8);
  });

  it('has a message that SQS delivers twice once', async () => {
    await batch({ a: { kind: 'later', afterSeconds: 600 } });
    await batch({ a: { kind: 'later', afterSeconds: 600 } });
    expect(await wakeups()).toHaveLength(1);
  });

  it('leaves the message on the queue where the database does not take it', async () => {
    await database.sql`alter table wakeups rename to hidden`;
    try {
      const answer = await batch({ a: { kind: 'retry', why: 'away' } });
      expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'a' }]);
    } finally {
      await database.sql`alter table hidden rename to wakeups`;
    }
  });
});
