import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresQueue } from '#events/postgres-queue/open-queue.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import { until } from '../../support/until.ts';
import { openMutated } from './mutated.ts';
import { openStage, type PostgresStage, untilWaiting } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

function messages(name: string, count: number): readonly Outgoing[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ function: name, group: `g${at}`, type: 't.v1', body: `${at}`, eventId: `e${at}` },
    mergeKey: `u${at}`,
  }));
}

const receive = (name: string, visibilityMs = 30_000) =>
  stage.queue.receive({ functions: [name], max: 10, visibilityMs, waitMs: 0 });

describe('the rows of the queue', () => {
  it('has groups and messages of one send in one transaction', async () => {
    await stage.queue.send(messages('one-transaction', 3));
    const written = await stage.sql`
      select distinct queue_groups.xmin::text as of_group, queue_messages.xmin::text as of_message
      from queue_groups join queue_messages on group_id = id where function = 'one-transaction'`;
    expect(written).toHaveLength(1);
    expect(written[0]?.['of_group']).toBe(written[0]?.['of_message']);
  });

  it('sends none of a batch where its second statement, for groups that stand already, fails', async () => {
    const [standing, fresh] = messages('halfway', 2);
    if (standing === undefined || fresh === undefined) throw new Error('there are no messages');
    await stage.queue.send([standing]);
    const failing = openMutated(stage.url, {
      from: 'from sent where position is null\n    )\n    update',
      to: 'from sent where position is null and 1 / (turn - turn) = 0\n    )\n    update',
    });
    const queue = await openPostgresQueue({ sql: failing.sql });
    await expect(queue.send([{ ...standing, mergeKey: 'other' }, fresh])).rejects.toThrow('zero');
    await queue.close();
    const kept = await stage.sql`select key from queue_groups where function = 'halfway'`;
    expect([...kept]).toEqual([{ key: standing.group }]);
    expect(failing.count()).toBe(1);
  });

  it('keeps nothing of a group whose last message was settled', async () => {
    await stage.queue.send(messages('emptied', 5));
    const deliveries = await receive('emptied');
    await stage.queue.settle(deliveries.map(({ receipt }) => receipt));
    expect(await stage.sql`select from queue_groups where function = 'emptied'`).toHaveLength(0);
    expect(
      await stage.sql`select from queue_messages where group_id not in (select id from queue_groups)`,
    ).toHaveLength(0);
  });

  it.each(['settle', 'bury'] as const)(
    'keeps a message that is sent to a group while a %s of its last one waits for that',
    async (end) => {
      const name = `growing by ${end}`;
      const [first] = messages(name, 1);
      if (first === undefined) throw new Error('there is no message');
      await stage.queue.send([first]);
      const receipt = (await receive(name))[0]?.receipt ?? '';
      const sending = await stage.begin();
      await sending.send([{ ...first, body: 'second', eventId: 'second' }]);
      const { settle, bury } = stage.queue;
      const ended = end === 'settle' ? settle([receipt]) : bury(receipt, 'bad');
      await untilWaiting(stage.sql, 1);
      await sending.commit();
      expect([await ended].flat()).toEqual([true]);
      expect(await receive(name)).toMatchObject([{ body: 'second' }]);
    },
  );

  it('has a message lost for good by whom something was merged into it, also when the clock is set back', async () => {
    const name = 'set-back';
    const [first] = messages(name, 1);
    if (first === undefined) throw new Error('there is no message');
    await stage.queue.send([first]);
    const receipt = (await receive(name))[0]?.receipt ?? '';
    await stage.advance([name], 60_000);
    await stage.queue.send([{ ...first, eventId: 'later' }]);
    await stage.advance([name], -60_000);
    expect(await stage.queue.settle([receipt])).toEqual([false]);
    await stage.advance([name], 60_000);
    expect(await receive(name)).toMatchObject([{ eventId: 'later' }]);
  });

  it('reads no whole table to send, in whosever transaction', async () => {
    const [before, after] = await stage.sql.begin(async (tx) => {
      const scans = () => tx`
        select relname, seq_scan::int from pg_stat_xact_user_tables
        where relname in ('queue_groups', 'queue_messages') order by relname`;
      const first = await scans();
      for (const round of [1, 2, 3, 4, 5, 6, 7]) {
        await senderOn(tx).send(messages(`planned-${round}`, 20));
      }
      return [first, await scans()];
    });
    expect([...after]).toEqual([...before]);
  });

  it("leaves the caller's planner as it was", async () => {
    const [after] = await stage.sql.begin(async (tx) => {
      await senderOn(tx).send(messages('planner', 1));
      return tx`
        select current_setting('enable_seqscan') as scan, current_setting('plan_cache_mode') as mode`;
    });
    expect(after).toEqual({ scan: 'on', mode: 'auto' });
  });

  it('asks no planner that is set already', async () => {
    const asked: string[] = [];
    const sql = postgres(stage.url, { max: 1, debug: (_, text) => asked.push(text.trim()) });
    const askedBy = async (name: string, isPlanned: boolean) => {
      asked.length = 0;
      await sql.begin((tx) => senderOn(tx, isPlanned).send(messages(name, 2)));
      return asked.filter((text) => text.startsWith("select set_config('enable_seqscan'")).length;
    };
    expect([await askedBy('unplanned', false), await askedBy('planned', true)]).toEqual([2, 0]);
    await sql.end();
    expect(await receive('planned')).toHaveLength(2);
  });
});

describe('a claim of a row that was changed since it began', () => {
  it('hands over the event that was merged in before it had the lock', async () => {
    const [first] = messages('slowly', 1);
    if (first === undefined) throw new Error('there is no message');
    await stage.queue.send([first]);
    const slowly = openMutated(stage.url, {
      from: 'and visible_at <= now()\n        order by visible_at',
      to: "and visible_at <= now() and pg_sleep(0.4)::text = '' order by visible_at",
    });
    const queue = await openPostgresQueue({ sql: slowly.sql });
    const receiving = { functions: ['slowly'], max: 1, visibilityMs: 30_000, waitMs: 0 };
    const claiming = queue.receive(receiving);
    await until(async () => {
      const asleep = await stage.sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`;
      return asleep.length > 0;
    });
    await stage.queue.send([{ ...first, eventId: 'later' }]);
    expect(await claiming).toMatchObject([{ body: first.body, eventId: 'later' }]);
    expect(slowly.count()).toBe(1);
    await queue.close();
  });

  it('passes over a row that somebody else has locked, and does not wait for him', async () => {
    const [first] = messages('locked', 1);
    if (first === undefined) throw new Error('there is no message');
    await stage.queue.send([first]);
    const sending = await stage.begin();
    await sending.send([{ ...first, eventId: 'later' }]);
    const claiming = receive('locked');
    const answer = await Promise.race([claiming, pause(3_000, 'it waits')]);
    await sending.commit();
    expect(answer).toEqual([]);
    await claiming;
  });

  it('is made by one of two who look at the row at the same time', async () => {
    const [first] = messages('both', 1);
    if (first === undefined) throw new Error('there is no message');
    await stage.queue.send([first]);
    const slowly = [1, 2].map(() =>
      openMutated(stage.url, {
        from: 'and visible_at <= now()\n        order by visible_at',
        to: "and visible_at <= now() and pg_sleep(0.4)::text = '' order by visible_at",
      }),
    );
    const queues = await Promise.all(slowly.map(({ sql }) => openPostgresQueue({ sql })));
    const receiving = { functions: ['both'], max: 1, visibilityMs: 30_000, waitMs: 0 };
    const claimed = await Promise.all(queues.map((queue) => queue.receive(receiving)));
    expect(claimed.flat()).toMatchObject([{ body: first.body }]);
    expect(slowly.map(({ count }) => count())).toEqual([1, 1]);
    await Promise.all(queues.map((queue) => queue.close()));
  });

  it('hands over no message that was settled meanwhile, and none of an older event', async () => {
    const ledger: Ledger = { sent: new Map(), settled: new Set(), last: new Map() };
    const over = new AbortController();
    const workers = [1, 2, 3, 4].map(async () => {
      for (let round = 0; !over.signal.aborted; round += 1) await takeSome(ledger, round);
    });
    try {
      await Promise.all(['g1', 'g2', 'g3'].map((group) => sendAll(ledger, group)));
      await expect
        .poll(() => stage.sql`select from queue_groups where function = ${racing}`, {
          timeout: 30_000,
        })
        .toHaveLength(0);
    } finally {
      // A queue that is closed answers at once: whoever went on to ask would never let anybody else have a turn.
      over.abort();
      await Promise.all(workers);
    }
    expect(ledger.last).toEqual(ledger.sent);
  });
});

const racing = 'racing';

/** By group, the last event that was sent and that was settled; and every message that was settled. */
type Ledger = {
  readonly sent: Map<string, string>;
  readonly settled: Set<string>;
  readonly last: Map<string, string>;
};

async function sendAll({ sent }: Ledger, group: string): Promise<void> {
  for (let at = 0; at < 50; at += 1) {
    const eventId = `${group}/${at}`;
    const message = { function: racing, group, type: 't.v1', body: 'b', eventId, mergeKey: 'u' };
    await stage.queue.send([message]);
    sent.set(group, eventId);
  }
}

async function takeSome({ settled, last }: Ledger, round: number): Promise<void> {
  const [settledBefore, lastBefore] = [new Set(settled), new Map(last)];
  // Now and then shorter than a round trip: some run out.
  const deliveries = await receive(racing, round % 4 === 0 ? 3 : 30_000);
  for (const { id, group, eventId } of deliveries) {
    expect(settledBefore.has(id), `${id} came back`).toBe(false);
    expect(numberOf(eventId)).toBeGreaterThanOrEqual(numberOf(lastBefore.get(group) ?? ''));
  }
  const answers = await stage.queue.settle(deliveries.map(({ receipt }) => receipt));
  for (const [at, { id, group, eventId }] of deliveries.entries()) {
    if (answers[at] !== true) continue;
    settled.add(id);
    last.set(group, eventId);
  }
}

/** The number in `group/number`. */
function numberOf(eventId: string): number {
  return Number(eventId.split('/')[1] ?? -1);
}
