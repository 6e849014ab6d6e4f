import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageFor, setMessage } from '#events/messages.ts';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { openOutbox } from '#events/postgres-queue/outbox-relay.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { crashed, maxReceived, type Outgoing, type Queue } from '#events/queue.ts';
import { queueName } from '#events/sqs-queue/addresses.ts';
import { longestInline } from '#events/sqs-queue/envelope.ts';
import { mappedEndingsOn } from '#events/sqs-queue/mapped.ts';
import { openSqs, type Sqs } from '#events/sqs-queue/sqs.ts';
import { openSqsQueue } from '#events/sqs-queue/sqs-queue.ts';
import rotateCertificate from '#functions/certificates/rotate-certificate.ts';
import { buildBundles } from '#infra/build/bundles.ts';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { Invoke } from '#shared/runtime/invoke/event-app.ts';
import { originOn } from '#shared/runtime/invoke/origin.ts';
import { type SqsEvent, sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import { countsOf, type Mapping, passOn } from '#test/events/sqs-queue/mapping.ts';
import { type SqsServer, startSqs } from '#test/events/sqs-queue/server.ts';
import followNote from '#test/fixtures/functions/follow-note.ts';
import { lambdaOf } from '#test/support/bundles.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { logRecorded, mapChanged } from '#test/support/running.ts';
import { serveInside } from '#test/support/serving.ts';
import { eventually } from '#test/support/working.ts';

const functionName = followNote.name;
const home = mkdtempSync(join(tmpdir(), 'lambda-'));
let server: SqsServer;
let environment: Readonly<Record<string, string>>;
let fresh: FreshDatabase;
let database: Database;
let sqs: Sqs;
let mapping: Mapping;
let queue: Queue;
let cases = 0;

beforeAll(async () => {
  const source = { file: `test/fixtures/functions/${functionName}.ts`, definition: followNote };
  const building = buildBundles([source], home);
  [server, fresh] = await Promise.all([startSqs(), freshDatabase(), building]);
  database = openDatabase(fresh.url, { name: 'test', connections: 4 });
  sqs = openSqs(server.settings);
  const { endpoint, region, credentials } = server.settings;
  environment = {
    DATABASE_URL: fresh.url,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const lambda = lambdaOf(functionName, { directory: home, environment });
  mapping = { sqs, functionName, lambda, prefix: '' };
}, 60_000);

beforeEach(async () => {
  cases += 1;
  const prefix = `gatehouse-lambda-${cases}`;
  await server.createQueues(prefix, [functionName]);
  await database.sql`truncate outbox, wakeups`;
  mapping = { ...mapping, prefix };
  const outbox = openOutbox(database.sql);
  const { now } = server;
  queue = openSqsQueue({
    sqs,
    prefix,
    functions: [functionName],
    outbox,
    now,
    wallNow: now,
    after,
  });
});

afterAll(async () => {
  mapping.lambda.stop();
  sqs.close();
  await Promise.all([server.stop(), database.close()]);
  await fresh.drop();
  rmSync(home, { recursive: true });
});

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** The fixture has a name for each outcome; all of them in one group, one after another. */
function noteOf(name: string, more: Partial<Outgoing> = {}): Outgoing {
  const message = messageFor(functionName, mapChanged({ name, uid: name }), `${name}/7/MODIFIED`);
  return { ...message, group: 'g', ...more };
}

/** Longer than SQS takes: what the function does not know of it, its decoder passes over. */
function longNoteOf(name: string): Outgoing {
  const padding = 'x'.repeat(longestInline);
  return noteOf(name, { body: JSON.stringify({ ...mapChanged({ name, uid: name }), padding }) });
}

const nameOf = ({ messageId: itemIdentifier }: { readonly messageId: string }) => ({
  itemIdentifier,
});
const kindsOf = (answer: Awaited<ReturnType<typeof passOn>>) =>
  answer.outcomes.map(({ outcome }) => outcome.kind);
const dead = () => queue.listDead({ function: functionName, max: 10 });
const keptBodies = async () => (await database.sql`select id from outbox`).length;

describe('a function on Lambda, behind a queue of SQS', () => {
  it('buries a give-up with its reason at once, and goes on with the group', async () => {
    await queue.send([noteOf('give-up'), noteOf('done')]);
    const answer = await passOn(mapping);
    expect([answer.batchItemFailures, kindsOf(answer)]).toEqual([[], ['give-up']]);
    expect(kindsOf(await passOn(mapping))).toEqual(['done']);
    const { body, eventId } = noteOf('give-up');
    expect(await dead()).toMatchObject([
      { group: 'g', body, eventId, why: 'its name is not one', received: 1 },
    ]);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 1 });
  });

  it('buries at once what it cannot decode, with its bytes and the reason', async () => {
    const strange = { id: '0', body: 'no event {', group: 'g', deduplication: 'strange' };
    await sqs.send(queueName(mapping.prefix, functionName), [strange]);
    await queue.send([noteOf('other', { type: 'object.changed.v9', attempt: 100 })]);
    for (const _ of [1, 2]) expect((await passOn(mapping)).batchItemFailures).toEqual([]);
    expect((await dead()).map(({ body, why }) => [body, why]).toSorted()).toEqual(
      [
        ['no event {', 'the body is not JSON'],
        [noteOf('other').body, 'nothing decodes messages of kind object.changed.v9'],
      ].toSorted(),
    );
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 2 });
  });

  it('leaves to others what only a newer build decodes, each by itself', async () => {
    const type = 'object.changed.v9';
    const notes = ['e1', 'e2'].map((eventId) => noteOf('other', { type, eventId }));
    await queue.send(notes);
    for (const _ of notes) expect(kindsOf(await passOn(mapping))).toEqual(['retry']);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 0 });
    expect(
      await database.sql`select event_id, attempt from wakeups order by event_id`,
    ).toMatchObject([
      { event_id: 'e1', attempt: 1 },
      { event_id: 'e2', attempt: 1 },
    ]);
  });

  it('buries once more, and loses nothing, where it dies between burying and answering', async () => {
    await queue.send([noteOf('give-up')]);
    await passOn(mapping, { settles: false });
    expect(await countsOf(mapping)).toEqual({ queue: 1, dead: 1 });
    // Within five minutes SQS itself would drop the second one.
    server.advance(360_000);
    await passOn(mapping);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 2 });

    const listed = await dead();
    expect(listed).toHaveLength(1);
    expect(await queue.redrive([listed[0]?.id ?? ''])).toMatchObject({ count: 1 });
    expect(await countsOf(mapping)).toEqual({ queue: 1, dead: 0 });
  });

  it('reads a body that SQS could not take, and drops it once the message is settled', async () => {
    await queue.send([longNoteOf('done')]);
    expect(await keptBodies()).toBe(1);
    const answer = await passOn(mapping);
    expect([answer.batchItemFailures, kindsOf(answer)]).toEqual([[], ['done']]);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 0 });
    expect(await keptBodies()).toBe(0);
  });

  it('keeps such a body with the dead letter that refers to it, whole, until that is run again', async () => {
    const { body } = longNoteOf('give-up');
    await queue.send([longNoteOf('give-up')]);
    expect(kindsOf(await passOn(mapping))).toEqual(['give-up']);
    expect(await keptBodies()).toBe(1);
    const [letter] = await dead();
    expect(letter?.body === body).toBe(true);
    await queue.redrive([letter?.id ?? '']);
    expect(kindsOf(await passOn(mapping))).toEqual(['give-up']);
    expect(await keptBodies()).toBe(1);
  });

  it('buries a message whose body is gone', async () => {
    await queue.send([longNoteOf('done')]);
    await database.sql`truncate outbox`;
    expect(kindsOf(await passOn(mapping))).toEqual(['undecodable']);
    expect(await dead()).toMatchObject([{ why: 'its body is gone' }]);
  });

  it('leaves on the queue what it cannot read while the database is away', async () => {
    await queue.send([longNoteOf('done')]);
    await database.sql`alter table outbox rename to hidden`;
    try {
      const answer = await passOn(mapping);
      expect([answer.batchItemFailures.length, kindsOf(answer)]).toEqual([1, []]);
    } finally {
      await database.sql`alter table hidden rename to outbox`;
    }
    expect(kindsOf(await passOn(mapping))).toEqual(['done']);
    // Whoever had it before may have buried it, and a dead letter would name its body: that goes when it is swept.
    expect([await countsOf(mapping), await keptBodies()]).toEqual([{ queue: 0, dead: 0 }, 1]);
  });

  it('never buries what only waits for a database, however often it is received', async () => {
    await queue.send([longNoteOf('done'), noteOf('retry')]);
    const { sql } = database;
    await sql`alter table outbox rename to hidden`;
    await sql`alter table wakeups rename to waiting`;
    try {
      for (let turn = 0; turn < 25; turn += 1) await passOn(mapping);
      expect(await countsOf(mapping)).toEqual({ queue: 2, dead: 0 });
    } finally {
      await sql`alter table hidden rename to outbox`;
      await sql`alter table waiting rename to wakeups`;
    }
    const ran = [await passOn(mapping), await passOn(mapping)].flatMap(kindsOf);
    expect(ran.toSorted()).toEqual(['done', 'retry']);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 0 });
  });

  it('leaves on the queue what it would schedule by a newer schema, and goes on once that is ours', async () => {
    await queue.send([noteOf('later'), noteOf('done', { group: 'h' })]);
    const { sql } = database;
    await sql`insert into gatehouse_migrations values ('9999_newer', 'n', false)`;
    const lambda = lambdaOf(functionName, { directory: home, environment });
    try {
      const answer = await passOn({ ...mapping, lambda });
      expect([answer.batchItemFailures.length, kindsOf(answer).toSorted()]).toEqual([
        1,
        ['done', 'later'],
      ]);
      expect(await sql`select from wakeups`).toHaveLength(0);
      await sql`delete from gatehouse_migrations where name = '9999_newer'`;
      expect(kindsOf(await passOn({ ...mapping, lambda }))).toEqual(['later']);
      expect(await sql`select reason from wakeups`).toMatchObject([{ reason: 'later' }]);
      expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 0 });
    } finally {
      lambda.stop();
      await sql`delete from gatehouse_migrations where name = '9999_newer'`;
    }
  });

  it('runs again what its schedule brings back, one attempt further', async () => {
    await queue.send([longNoteOf('retry'), noteOf('later')]);
    for (const _ of [1, 2]) expect((await passOn(mapping)).batchItemFailures).toEqual([]);
    expect([await countsOf(mapping), await keptBodies()]).toEqual([{ queue: 0, dead: 0 }, 0]);
    const { sql } = database;
    const found = await sql`select function, reason, attempt from wakeups order by reason`;
    expect(found).toMatchObject([
      { function: functionName, reason: 'later', attempt: 0 },
      { function: functionName, reason: 'retry', attempt: 1 },
    ]);

    await sql`update wakeups set due_at = now()`;
    expect(await scheduleOn({ sql, sender: outboxOn }).moveDue(10)).toMatchObject({ count: 2 });
    await queue.send([]);
    expect(kindsOf(await passOn(mapping)).toSorted()).toEqual(['later', 'retry']);
    expect(await sql`select attempt from wakeups where reason = 'retry'`).toMatchObject([
      { attempt: 2 },
    ]);
  });

  it('buries the one that kills its process, and none of its batches', async () => {
    let killed = Promise.withResolvers<'killed'>();
    const ran = new Set<string>();
    const invoke: Invoke = async ({ id }) => {
      if (id.startsWith('bad/')) {
        killed.resolve('killed');
        return new Promise(() => {});
      }
      // A run takes a moment: who began together with the one that kills does not end.
      await new Promise((resolve) => setTimeout(resolve, 2));
      ran.add(id);
      return { kind: 'done' };
    };
    const origin = originOn(mappedEndingsOn(sqs, server), functionName);
    const means = { openUpkeep: undefined, openOrigin: async () => origin };
    const lifeOf = async () => {
      killed = Promise.withResolvers();
      const handle = sqsBatch({ name: functionName, log: logRecorded(), invoke }, means);
      const event = async (given: SqsEvent) => {
        const answer = await Promise.race([handle(given), killed.promise]);
        return answer === 'killed'
          ? { batchItemFailures: given.Records.map(nameOf), outcomes: [] }
          : answer;
      };
      const lambda = { invoke: (given: object) => event(given as SqsEvent), stop: () => {} };
      await passOn({ ...mapping, lambda });
    };
    const sent = Array.from({ length: 5 }, (_, at) => (at === 2 ? 'bad' : `good-${at}`));
    await queue.send(sent.map((name) => noteOf(name, { group: name })));
    for (let life = 0; life <= maxReceived; life += 1) {
      await lifeOf();
      await queue.send([noteOf(`later-${life}`, { group: `later-${life}` })]);
    }
    await lifeOf();
    expect(await dead()).toMatchObject([{ group: 'bad', why: crashed }]);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 1 });
    expect(ran.size).toBe(4 + maxReceived + 1);
  });

  it('is woken by the forwarder, which has no queue for certificates and follows nothing for them', async () => {
    const cluster = await fakeCluster();
    const { prefix } = mapping;
    const serving = await serveInside({
      role: 'forwarder',
      functions: [followNote, rotateCertificate],
      settings: { capabilities: ['samples'] },
      login: { kind: 'kubeconfig-text', text: cluster.kubeconfig },
      databaseUrl: fresh.url,
      queue: { kind: 'sqs', prefix, client: server.settings },
    });
    try {
      await eventually(async () => expect(await serving.readiness()).toMatchObject({ code: 200 }));
      const metadata = { name: 'give-up', namespace: 'default' };
      cluster.objects.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      await eventually(async () => expect(kindsOf(await passOn(mapping))).toEqual(['give-up']));
      expect(await dead()).toMatchObject([{ why: 'its name is not one' }]);
      // SQS may hand it over before the relay has heard that it was taken.
      await eventually(async () => expect(await keptBodies()).toBe(0));
      expect(cluster.requests.of('watch', 'configmaps')).toBeGreaterThan(0);
      expect(cluster.requests.of('watch', 'secrets')).toBe(0);
    } finally {
      await serving.stop();
      await cluster.close();
    }
  });

  it('makes of a set a message for each of its members, as the mirror has them', async () => {
    const { sql } = database;
    await sql`truncate objects`;
    await sql`
      insert into clusters (cluster, uid, epoch) values ('default', 'cluster-uid', 1)
      on conflict do nothing`;
    const writer = mirrorWriter(sql, 'default');
    for (const name of ['done', 'later']) {
      const metadata = { name, uid: name, namespace: 'team-a' };
      await writer.put(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    }
    const from = { function: functionName, cluster: 'default', eventId: 'a/7/MODIFIED' };
    await queue.send([setMessage(from, configMaps, { namespace: 'team-a', after: '' })]);
    expect(kindsOf(await passOn(mapping))).toEqual(['done']);
    await queue.send([]);
    expect(kindsOf(await passOn(mapping)).toSorted()).toEqual(['done', 'later']);
    expect(await countsOf(mapping)).toEqual({ queue: 0, dead: 0 });
  });
});
