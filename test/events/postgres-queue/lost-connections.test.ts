import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresQueue } from '#events/postgres-queue/open-queue.ts';
import type { Outgoing } from '#events/queue.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const message = (group: string): Outgoing => ({
  function: 'look',
  group,
  type: 'test.v1',
  body: '{}',
  eventId: group,
});

function killBackends(): PromiseLike<unknown> {
  return stage.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'gatehouse queue'`;
}

describe('the queue whose connections are lost', () => {
  it('fails what was under way and answers what comes after, forty times', async () => {
    const sent = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const group = `group-${round}`;
      const sending = stage.queue.send([message(group)]).then(
        () => sent.add(group),
        () => undefined,
      );
      await Promise.all([sending, killBackends()]);
    }
    const received = new Set<string>();
    await until(async () => {
      const receiving = { functions: ['look'], max: 10, visibilityMs: 60_000, waitMs: 0 };
      const deliveries = await stage.queue.receive(receiving).catch(() => []);
      for (const { group } of deliveries) received.add(group);
      return [...sent].every((group) => received.has(group));
    });

    expect(sent.size).toBeGreaterThan(0);
  });
});

describe('the queue of a server that came back without its last commits', () => {
  it('settles nothing by a receipt that it has forgotten, though it counts the same numbers again', async () => {
    const { sql, queue } = stage;
    const receiving = { functions: ['look'], max: 1, visibilityMs: 60_000, waitMs: 0 };
    await sql`truncate queue_groups, queue_messages restart identity`;
    await queue.send([message('forgotten')]);
    const [forgotten] = await queue.receive(receiving);
    await sql`truncate queue_groups, queue_messages restart identity`;
    await queue.send([message('another')]);
    const [another] = await queue.receive(receiving);
    expect(another?.id).toBe(forgotten?.id);

    const old = forgotten?.receipt ?? '';
    expect(await queue.extend(old, 60_000)).toBe(false);
    expect(await queue.release(old)).toBe(false);
    expect(await queue.bury(old, 'why')).toBe(false);
    expect(await queue.settle([old, another?.receipt ?? ''])).toEqual([false, true]);
  });
});

describe('a send whose notice fails', () => {
  it('is a send all the same, and says what failed', async () => {
    const { url, drop } = await freshDatabase();
    const role = `mute_${new URL(url).pathname.slice(1)}`;
    const mute = Object.assign(new URL(url), { username: role, password: 'p' }).href;
    const owner = openDatabase(url, { name: 'owner', connections: 1 }).sql;
    await owner.unsafe(`
      create role ${role} login password 'p';
      grant select, insert, update, delete on all tables in schema public to ${role};
      revoke execute on function pg_notify(text, text) from public;
      insert into queue_sleepers (until_at) values (now() + interval '1 minute')`);
    const { sql } = openDatabase(mute, { name: 'gatehouse queue', connections: 2 });
    const troubles: unknown[] = [];
    const queue = await openPostgresQueue({ sql, onTrouble: (cause) => troubles.push(cause) });

    await queue.send([message('g')]);
    expect(await sql`select event_id from queue_messages`).toEqual([{ event_id: 'g' }]);
    expect(troubles).toEqual([expect.objectContaining({ code: '42501' })]);
    await queue.close();
    await owner.unsafe(`drop owned by ${role}; drop role ${role}`);
    await owner.end();
    await drop();
  });
});
