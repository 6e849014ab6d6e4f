import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { objectMessage } from '#events/messages.ts';
import { deadLettersOn } from '#events/postgres-queue/dead.ts';
import type { Queue } from '#events/queue.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { clustersQueue, postgresQueue } from '#test/support/postgres-queue.ts';
import { openStage, type PostgresStage, untilWaiting } from './stage.ts';

/** The name of one begins with the other's, as those of some clouds do. */
const [one, other] = ['prod', 'prod/eu'];

let stage: PostgresStage;
let ours: Queue;
let theirs: Queue;

beforeAll(async () => {
  stage = await openStage();
  [ours, theirs] = [await clustersQueue(stage.url, one), await clustersQueue(stage.url, other)];
});

beforeEach(async () => {
  await stage.sql`truncate queue_groups, queue_messages, queue_dead`;
});

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
  await Promise.all([ours, theirs].map((queue) => queue.close()));
  await stage.close();
});

async function bury(queue: Queue, name: string): Promise<void> {
  const from = { function: 'look', cluster: 'any', eventId: 'e' };
  const at = { namespace: 'n', name, uid: name, deleted: false };
  await queue.send([objectMessage(from, configMaps, at)]);
  const receiving = { functions: ['look'], max: 1, visibilityMs: 5_000, waitMs: 0 };
  const [delivery] = await queue.receive(receiving);
  await queue.bury(delivery?.receipt ?? '', 'never');
}

const deadOf = async (queue: Queue) => (await queue.listDead({ max: 2 })).map(({ id }) => id);

it('lists a cluster’s dead letters past those of others', async () => {
  for (const name of ['a', 'b']) await bury(theirs, name);
  await bury(ours, 'c');

  expect(await ours.listDead({ max: 2 })).toMatchObject([{ function: 'look' }]);
  expect(await deadOf(theirs)).toHaveLength(2);
});

it('neither redrives nor drops what another cluster has buried', async () => {
  await bury(theirs, 'a');
  const ids = await deadOf(theirs);

  const none = { count: 0, missing: ids };
  expect([await ours.redrive(ids), await ours.purgeDead(ids)]).toMatchObject([none, none]);
  expect(await theirs.redrive(ids)).toMatchObject({ count: 1 });
});

it('brings back or drops all of a cluster’s, page by page, and nothing of another one’s', async () => {
  await bury(theirs, 'theirs');
  await buryMany(1_201);

  expect(await ours.redrive({ function: 'look' })).toMatchObject({ count: 1_201 });
  const [first] =
    await stage.sql`select array_agg(body order by position) = ${counted(1_201)} as same
    from queue_messages where body like 'dead %'`;
  expect(first).toEqual({ same: true });
  await buryMany(501);
  expect(await ours.purgeDead({ function: undefined })).toMatchObject({ count: 501 });
  expect(await deadOf(theirs)).toHaveLength(1);
});

it('brings back those that are named in the order in which they were buried, page by page, whatever theirs is', async () => {
  await stage.sql`alter table queue_dead alter column id restart with 700`;
  await buryMany(501);
  const ids = (await ours.listDead({ function: 'look', max: 501 })).map(({ id }) => id);

  expect(await ours.redrive(ids.toReversed())).toMatchObject({ count: 501 });
  const [first] = await stage.sql`
    select array_agg(body order by position) = ${counted(501)} as same from queue_messages`;
  expect(first).toEqual({ same: true });
});

it('leaves what cannot be sent where it lies, and brings the others back', async () => {
  await buryMany(3);
  await stage.sql`update queue_dead set type = repeat('t', 1001) where body = 'dead 1'`;
  const [, odd, last] = (await ours.listDead({ max: 3 })).map(({ id }) => id);

  const stuck = [{ id: odd, why: 'type is too long' }];
  expect(await ours.redrive({ function: 'look' })).toEqual({ count: 2, missing: [], stuck });
  expect(await ours.redrive([odd ?? '', last ?? ''])).toEqual({ count: 0, missing: [last], stuck });
  expect(await deadOf(ours)).toEqual([odd]);
});

/** Of one group. */
async function buryMany(count: number): Promise<void> {
  await stage.sql`
    insert into queue_dead (function, key, type, body, event_id, attempt, received, why, buried_at)
    select ${`${one}/look`}, 'g', 't.v1', body, 'e', 0, 1, 'never', now()
    from unnest(${counted(count)}::text[]) as body`;
}

function counted(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `dead ${at}`);
}

it('counts the functions of its own cluster alone', async () => {
  await bury(theirs, 'a');
  await bury(ours, 'b');
  const from = { function: 'wait', cluster: 'any', eventId: 'e' };
  const at = { namespace: 'n', name: 'c', uid: 'c', deleted: false };
  for (const each of [ours, theirs]) await each.send([objectMessage(from, configMaps, at)]);
  const unnamed = await postgresQueue(stage.url, 1, { prefix: `${one}/` });
  endings.push(unnamed.close);

  expect(await unnamed.depth()).toMatchObject([
    { function: `${one}/look`, waiting: 0, dead: 1 },
    { function: `${one}/wait`, waiting: 1, dead: 0 },
  ]);
});

it('shows each once, in the order in which they were buried, when ids become longer', async () => {
  await stage.sql`alter table queue_dead alter column id restart with 8`;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await bury(ours, name);
  const first = await ours.listDead({ max: 3 });
  const rest = await ours.listDead({ max: 3, after: first.at(-1)?.id ?? '' });

  expect([...first, ...rest].map(({ id }) => id)).toEqual(['8', '9', '10', '11', '12']);
});

it('brings back many that are large in more than one transaction', async () => {
  await stage.sql`
    insert into queue_dead (function, key, type, body, event_id, attempt, received, why, buried_at)
    select 'large', 'g' || n, 't', repeat('"', 1048576), 'e', 0, 1, 'why', now()
    from generate_series(1, 40) as n`;
  expect(await stage.queue.redrive({ function: 'large' })).toEqual({
    ...{ count: 40, missing: [], stuck: [] },
  });
  const [each] = await stage.sql`
    select count(*)::int as messages, count(distinct xmin::text)::int as transactions
    from queue_messages`;
  expect(each).toEqual({ messages: 40, transactions: 3 });
});

it('leaves what is buried meanwhile to the next one who asks', async () => {
  await buryMany(501);
  const [name, burials] = [`${one}/look`, ['while the first come back', 'and the last']];
  const raise = async () => {
    const body = burials.shift() ?? '';
    await stage.sql`
      insert into queue_dead (function, key, type, body, event_id, attempt, received, why, buried_at)
      select function, key, type, ${body}, event_id, attempt, received, why, now()
      from queue_dead where ${body} <> '' limit 1`;
  };
  const letters = deadLettersOn(stage.sql, { whyNot: () => undefined, raise });
  expect(await letters.redrive({ function: name })).toMatchObject({ count: 501 });
  expect(await letters.listDead({ function: name, max: 3 })).toHaveLength(2);
});

it('drops and brings back at the same time without a deadlock', async () => {
  // Lying in the opposite order, on sessions that plan as they like: as beside a queue of Amazon's.
  await stage.sql`
    insert into queue_dead (id, function, key, type, body, event_id, attempt, received, why,
      buried_at) overriding system value
    select 1000 - n, 'both', 'g' || n, 't', '{}', 'e', 0, 1, 'why', now()
    from generate_series(1, 400) as n`;
  const raise = async () => undefined;
  const letters = deadLettersOn(stage.sql, { whyNot: () => undefined, raise });
  const buried = { function: 'both' };
  const ending = await stage.sql.begin(async (tx) => {
    await tx`select from queue_dead where id = 800 for update`;
    const both = Promise.all([letters.redrive(buried), letters.purgeDead(buried)]);
    await untilWaiting(stage.sql, 2);
    return { both };
  });
  const counts = (await ending.both).map(({ count }) => count);
  expect(counts.toSorted((one, more) => one - more)).toEqual([0, 400]);
});
