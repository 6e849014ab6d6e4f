import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { openOutbox } from '#events/postgres-queue/outbox-relay.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import type { Queue } from '#events/queue.ts';
import { deadQueueName } from '#events/sqs-queue/addresses.ts';
import { envelopeFor, written } from '#events/sqs-queue/envelope.ts';
import { openSqs, type Sqs } from '#events/sqs-queue/sqs.ts';
import { openSqsQueue } from '#events/sqs-queue/sqs-queue.ts';
import { runCli } from '#infra/cli/main.ts';
import { painter } from '#infra/cli/output.ts';
import { type Database, openDatabase } from '#shared/adapters/database/open.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { type SqsServer, startSqs } from '#test/events/sqs-queue/server.ts';
import { homely } from '#test/support/homely.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { mapChanged } from '#test/support/running.ts';

const main = join(import.meta.dirname, '../../../infra/cli/main.ts');
/** Of the functions that there are, these have queues. */
const functions = ['follow-pool', 'report-strays'];
let server: SqsServer;
let fresh: FreshDatabase;
let database: Database;
let sqs: Sqs;
let queue: Queue;
let prefix: string;
let cases = 0;

beforeAll(async () => {
  [server, fresh] = await Promise.all([startSqs(), freshDatabase()]);
  database = openDatabase(fresh.url, { name: 'test', connections: 4 });
  sqs = openSqs(server.settings);
}, 60_000);

beforeEach(async () => {
  prefix = `gatehouse-verbs-${++cases}`;
  await server.createQueues(prefix, functions);
  await database.sql`truncate outbox, queue_dead, wakeups`;
  const outbox = openOutbox(database.sql);
  queue = openSqsQueue({ sqs, prefix, functions, outbox, now: Date.now, wallNow: Date.now, after });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  sqs.close();
  await Promise.all([server.stop(), database.close()]);
  await fresh.drop();
});

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

type Said = { readonly exit: number; readonly out: string; readonly err: string };

/** Who is told of SQS by the SDK's own variables. */
function variables(): Readonly<Record<string, string>> {
  const { endpoint, region, credentials } = server.settings;
  return {
    QUEUE: 'sqs',
    GATEHOUSE_SQS_PREFIX: prefix,
    DATABASE_URL: fresh.url,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** The command as a user runs it. */
function gatehouseOutside(...argv: readonly string[]): Promise<Said> {
  const env = { ...homely(), ...variables() };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'queue', ...argv], { env }, (failed, out, err) => {
      resolve({ exit: failed === null ? 0 : Number(failed.code), out, err });
    });
  });
}

/** The same without a process of its own, which takes longer than what is looked at. */
function gatehouse(...argv: readonly string[]): Promise<Said> {
  return gatehouseWith({}, ...argv);
}

async function gatehouseWith(
  more: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<Said> {
  const given = { ...variables(), ...more };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
  const said = { out: '', err: '' };
  const terminal = {
    print(text: string) {
      said.out += text;
    },
    complain(text: string) {
      said.err += text;
    },
    read: async () => '',
    paint: painter(false),
  };
  const exit = await runCli(['queue', ...argv], { terminal, environment: readEnvironment(given) });
  return { exit, ...said };
}

const messageOf = (name: string, functionName = 'follow-pool') =>
  messageFor(functionName, mapChanged({ name, uid: name }), `${name}/7/MODIFIED`);

async function bury(name: string, why: string): Promise<string> {
  await queue.send([messageOf(name)]);
  const receiving = { functions: ['follow-pool'], max: 1, visibilityMs: 30_000, waitMs: 0 };
  const [delivery] = await queue.receive(receiving);
  await queue.bury(delivery?.receipt ?? '', why);
  return delivery?.id ?? '';
}

let laid = 0;

/** Among the dead letters, as somebody writes them by hand. */
async function lay(id: string, group: string): Promise<void> {
  const message = { ...messageOf(id), group };
  const buried = { why: 'by hand', received: 1, atMs: ++laid };
  const { text } = written({ ...envelopeFor(message, { id, sentAtMs: 0 }), buried });
  const entry = { id: '0', body: text, group: `${laid}`, deduplication: `${laid}` };
  expect(await sqs.send(deadQueueName(prefix, 'follow-pool'), [entry])).toEqual([]);
}

const depthOf = async (name: string) => (await queue.depth([name]))[0];

describe('gatehouse queue on SQS', () => {
  it('lists what waits and what is buried, of every function that has a queue or has none', async () => {
    await bury('one', 'no such pool');
    await queue.send([messageOf('two'), messageOf('three'), messageOf('four', 'report-strays')]);
    const [ls, dead] = await Promise.all([gatehouseOutside('ls', '-o', 'json'), gatehouse('dead')]);
    expect(ls).toMatchObject({ exit: 0, err: '' });
    const depths = JSON.parse(ls.out) as readonly { readonly function: string }[];
    const of = (name: string) => depths.find((each) => each.function === name);
    expect(of('follow-pool')).toMatchObject({ waiting: 2, inFlight: 0, dead: 1 });
    expect(of('report-strays')).toMatchObject({ waiting: 1, dead: 0 });
    expect(of('restart-pod')).toMatchObject({ waiting: 0, inFlight: 0, dead: 0 });
    expect(dead).toMatchObject({ exit: 0, out: expect.stringContaining('no such pool') });
  }, 30_000);

  it('shows and drops what is scheduled, which stays in Postgres', async () => {
    const schedule = scheduleOn({ sql: database.sql, sender: outboxOn });
    await schedule.add([{ message: messageOf('one'), reason: 'retry', afterMs: 60_000 }]);
    const ls = await gatehouse('ls', '-o', 'json');
    expect(JSON.parse(ls.out)).toContainEqual(
      expect.objectContaining({ function: 'follow-pool', waiting: 0, scheduled: 1 }),
    );
    expect((await gatehouse('peek', 'follow-pool')).out).toContain('retry in ');
    const { out } = await gatehouse('purge', 'follow-pool', '--yes');
    expect(out).toBe('1 message dropped: 0 waiting, 1 scheduled\n');
  }, 30_000);

  it.each([
    ['SQS', { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' }, 'AWS_REGION'],
    [
      'the database',
      { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' },
      'the database does not answer',
    ],
  ])(
    'says that it is %s that does not answer, and what to do',
    async (_, env, said) => {
      const { exit, err } = await gatehouseWith(env, 'ls');
      expect([exit, err]).toEqual([1, expect.stringContaining(said)]);
    },
    30_000,
  );

  it('says how many came back, and by its id which one cannot, and shows it to whoever looks next', async () => {
    await bury('one', 'never');
    await lay('theirs', 'x'.repeat(1_001));
    await lay('theirs too', '');
    const stuck = [
      { id: 'theirs', why: 'group is too long' },
      { id: 'theirs too', why: 'it names no function or no group' },
    ];
    const lines = stuck.map(({ id, why }) => `\n  ${id}: ${why}`).join('');
    expect(await gatehouse('redrive', '--all')).toEqual({
      exit: 1,
      out: `1 message redriven; 2 messages cannot come back:${lines}\n`,
      err: '',
    });
    const again = await gatehouse('redrive', 'theirs', 'no id', '-o', 'json');
    const json = { redriven: 0, missing: 1, stuck: stuck.slice(0, 1) };
    expect([again.exit, JSON.parse(again.out)]).toEqual([1, json]);
    const dead = await gatehouse('dead', '-o', 'json');
    expect(JSON.parse(dead.out)).toMatchObject(stuck.map(({ id }) => ({ id })));
  }, 30_000);

  it('fails where one of those that are named is not there, although another one is there twice', async () => {
    await lay('theirs', 'one group');
    await lay('theirs', 'another group');
    const out = '2 messages dropped; 1 message is not buried (any more)\n';
    const purged = await gatehouse('purge', '--dead', '--yes', 'theirs', 'misspelt');
    expect(purged).toEqual({ exit: 1, out, err: '' });
  }, 30_000);

  it('redrives what is named, and drops what is buried or waits', async () => {
    const id = await bury('one', 'never');
    await bury('two', 'never');
    expect(await gatehouse('redrive', id)).toEqual({
      exit: 0,
      out: '1 message redriven\n',
      err: '',
    });
    expect(await depthOf('follow-pool')).toMatchObject({ waiting: 1, dead: 1 });
    const [buried, waiting] = await Promise.all([
      gatehouse('purge', '--dead', '--all', '--yes'),
      gatehouse('purge', 'follow-pool', '--yes'),
    ]);
    const dropped = { exit: 0, out: '1 message dropped\n', err: '' };
    expect([buried, waiting]).toEqual([dropped, dropped]);
    expect(await depthOf('follow-pool')).toMatchObject({ waiting: 0, dead: 0 });
  }, 30_000);

  it('shows, brings back and drops what was buried in Postgres, since no queue takes it', async () => {
    const schedule = scheduleOn({ sql: database.sql, sender: outboxOn });
    const names = ['mended', 'odd', 'nobody’s'];
    await schedule.add(
      names.map((name, at) => ({ message: messageOf(name), reason: 'retry', afterMs: at - 10 })),
    );
    await database.sql`update wakeups set type = repeat('t', 1001)`;
    await schedule.moveDue(10);
    await bury('on SQS', 'never');
    const [mended = '', odd = '', nobodys = ''] = await idsBuried();
    await database.sql`update queue_dead set type = 't.v1' where id <> ${odd}`;
    await database.sql`update queue_dead set function = 'unknown' where id = ${nobodys}`;

    const dead = JSON.parse((await gatehouse('dead', '-o', 'json')).out);
    const whys = ['never', ...names.map(() => 'it cannot be sent: type is too long')];
    expect(dead.map(({ why }: { readonly why: string }) => why)).toEqual(whys);
    const last = ['dead', '--after', dead[1].id, '--max', '1'];
    expect((await gatehouse(...last)).out).toContain(dead[2].id);
    const depths = JSON.parse((await gatehouse('ls', '-o', 'json')).out);
    const deadOf = (name: string) =>
      depths.find((each: { readonly function: string }) => each.function === name).dead;
    expect([deadOf('follow-pool'), deadOf('unknown')]).toEqual([3, 1]);

    const marked = [mended, odd, nobodys].map((id) => `postgres-${id}`);
    const redriven = await gatehouse('redrive', ...marked, 'postgres-999', '-o', 'json');
    expect([redriven.exit, JSON.parse(redriven.out)]).toEqual([
      1,
      {
        ...{ redriven: 1, missing: 1 },
        stuck: [
          { id: marked[1], why: 'type is too long' },
          { id: marked[2], why: 'its function has no queue on SQS' },
        ],
      },
    ]);
    expect(await depthOf('follow-pool')).toMatchObject({ waiting: 1, dead: 1 });
    const purged = await gatehouse('purge', '--dead', '--all', '--yes');
    expect(purged.out).toBe('3 messages dropped\n');
    expect(await database.sql`select id from queue_dead`).toHaveLength(0);
  }, 30_000);
});

/** In Postgres, in that order. */
async function idsBuried(): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select id::text from queue_dead order by queue_dead.id`;
  return rows.map(({ id }) => id);
}
