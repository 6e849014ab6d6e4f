import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { periodMessage } from '#events/messages.ts';
import { followOn } from '#infra/cli/events/follow.ts';
import { addEvents } from '#infra/cli/events.ts';
import { queueOn } from '#infra/cli/queue/open.ts';
import { addQueue } from '#infra/cli/queue.ts';
import { mends } from '#shared/adapters/database/failure.ts';
import { tailChannel } from '#shared/adapters/database/tail.ts';
import type { Happening } from '#shared/runtime/happening.ts';
import { openQueueing } from '#shared/runtime/worker/queueing.ts';
import { startTail } from '#shared/runtime/worker/tail.ts';
import { homely } from '#test/support/homely.ts';
import { refusingPostgres } from '#test/support/postgres/refusing.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { defaultClustersQueue } from '#test/support/postgres-queue.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { until } from '#test/support/until.ts';
import { callVerb } from '#test/support/verb.ts';
import { eventually, messageOf } from '#test/support/working.ts';

const queue = (argv: readonly string[], variables: Readonly<Record<string, string>>) =>
  callVerb(
    (program, world) =>
      addQueue(program, world, {
        useIn: queueOn(world, { functions: async () => [], cluster: async () => 'default' }),
        functions: async () => [],
      }),
    ['queue', ...argv],
    { variables },
  );
const tail = (argv: readonly string[], variables: Readonly<Record<string, string>>) =>
  callVerb(
    (program, world) =>
      addEvents(program, world, {
        follow: followOn(world),
        cluster: async () => 'blue',
        kinds: async () => [],
        functions: async () => [],
      }),
    ['events', 'tail', ...argv],
    { variables },
  );

const ran: Happening = {
  kind: 'run',
  at: '2030-01-01T00:00:00.000Z',
  function: 'follow-maps',
  eventId: 'e1',
  outcome: 'done',
  ms: 1,
  waitedMs: 1,
  attempt: 0,
};

describe('the verbs on a database', () => {
  it('show what a worker of another process has there', async () => {
    const { url } = await freshDatabase();
    const opened = await defaultClustersQueue(url);
    await opened.send([messageOf()]);
    await opened.close();
    const { exit, out } = await queue(['ls', '-o', 'json'], { DATABASE_URL: url });
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ function: 'follow-maps', waiting: 1 }]);
  });

  it.each([
    ['the queue', queue, ['ls', '-o', 'json']],
    ['the tail', tail, []],
  ] as const)('find of %s a dev against another cluster, and say so', async (_, verb, argv) => {
    const { url } = await freshDatabase();
    const GATEHOUSE_STATE = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
    onTestFinished(() => rmSync(GATEHOUSE_STATE, { recursive: true, force: true }));
    const folder = join(GATEHOUSE_STATE, 'against', 'uid');
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(folder, 'postgres'));
    // The emulator has been there, and is stopped.
    mkdirSync(join(GATEHOUSE_STATE, 'postgres'));
    writeFileSync(join(folder, 'database-url'), `${url}\n`);
    const running = verb(argv, { GATEHOUSE_STATE });
    if (verb === tail) setTimeout(() => process.emit('SIGINT'), 2_000);
    const { exit, err } = await running;
    expect([exit, err]).toEqual([0, expect.stringContaining(`--state ${folder}`)]);
  });

  it('look into the state folder that is named, whatever the environment says', async () => {
    const DATABASE_URL = 'postgres://u:p@127.0.0.1:1/x';
    const state = ['--state', '/tmp/no-such-gatehouse'];
    const asked = [await queue(['ls', ...state], { DATABASE_URL })];
    asked.push(await tail(state, { DATABASE_URL }));
    for (const { exit, err } of asked) {
      expect([exit, err]).toEqual([1, expect.stringContaining('/tmp/no-such-gatehouse')]);
    }
  });

  it('ask which is meant of several that run against another cluster', async () => {
    const { url } = await freshDatabase();
    const GATEHOUSE_STATE = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
    onTestFinished(() => rmSync(GATEHOUSE_STATE, { recursive: true, force: true }));
    for (const uid of ['one', 'two']) {
      const folder = join(GATEHOUSE_STATE, 'against', uid);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'database-url'), `${url}\n`);
    }
    const { exit, err } = await queue(['ls'], { GATEHOUSE_STATE });
    expect([exit, err]).toEqual([1, expect.stringMatching(/against\/one[\s\S]*by --state/)]);
  });

  it('fail to show what is buried behind an id that is none', async () => {
    const { url } = await freshDatabase();
    const dead = await queue(['dead', '--after', 'rubbish'], { DATABASE_URL: url });
    expect(dead).toMatchObject({ exit: 1, out: '' });
    expect(dead.err).toContain('no message was ever buried as "rubbish"');
  });

  it('show and drop what waits for a function in the schedule too, and not its period', async () => {
    const { url } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    const { schedule, close } = await openQueueing({
      ...{ choice: { kind: 'postgres' }, url, sql, cluster: 'default', functions: [] },
      onTrouble: () => undefined,
    });
    const message = messageOf();
    await schedule.add([{ message, reason: 'retry', afterMs: 3_600_000 }]);
    await schedule.setPeriods([{ message: periodMessage('follow-maps'), everySeconds: 60 }]);
    const peeked = await queue(['peek', 'follow-maps', '-o', 'json'], { DATABASE_URL: url });
    expect([peeked.exit, JSON.parse(peeked.out)]).toMatchObject([0, [{ reason: 'retry' }]]);
    const purged = await queue(['purge', 'follow-maps', '--yes'], { DATABASE_URL: url });
    const dropped = '1 message dropped: 0 waiting, 1 scheduled\n';
    expect(purged).toEqual({ exit: 0, out: dropped, err: '' });
    expect(await sql`select reason from wakeups`).toEqual([{ reason: 'period' }]);
    await close();
    await sql.end();
  });

  it('bring what is told in another process, until Ctrl-C', async () => {
    const { url } = await freshDatabase();
    const tailing = tail(['-o', 'json'], { DATABASE_URL: url });
    const sql = postgres(url, { max: 1 });
    const telling = startTail({ cluster: 'blue', channel: tailChannel(sql), lookMs: 20 });
    await eventually(() => expect(telling.isWatched()).toBe(true));
    telling.happened(ran);
    await telling.stop();
    // It is heard on another connection.
    await sql`select pg_sleep(0.05)`;
    await sql.end();
    process.emit('SIGINT');
    const { exit, out } = await tailing;
    expect([exit, JSON.parse(out)]).toMatchObject([0, { eventId: 'e1' }]);
  });

  it('end the tail by one Ctrl-C, though nothing comes through any more', async () => {
    const { url } = await freshDatabase();
    const between = await proxyTo(url);
    onTestFinished(() => between.close());
    const running = tail([], { DATABASE_URL: between.url });
    const sql = postgres(url, { max: 1 });
    onTestFinished(() => sql.end());
    const { isListened } = tailChannel(sql);
    await eventually(async () => expect(await isListened()).toBe(true));
    between.freeze();
    // Until it asks the database whether the connection still stands.
    await pause(1_500);
    const began = performance.now();
    process.emit('SIGINT');
    expect(await running).toMatchObject({ exit: 0 });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('keep nobody talking for a tail whose reader stands still, until it reads on', async () => {
    const { url } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    onTestFinished(() => sql.end());
    const { isListened, say } = tailChannel(sql);
    const child = spawn(process.execPath, ['infra/cli/main.ts', 'events', 'tail', '-o', 'json'], {
      env: { ...homely(), DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const listens = (is: boolean) => until(async () => (await isListened()) === is, 20_000);
    await listens(true);
    const lines = [{ ...ran, outcome: 'retry', why: 'y'.repeat(7_000) }];
    const payload = JSON.stringify({ lines, dropped: 0 });
    // More than the pipe holds.
    for (let count = 0; count < 100; count += 1) await say(payload);
    await listens(false);
    child.stdout.resume();
    await listens(true);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each(['DATABASE_URL', 'GATEHOUSE_STATE'])(
    'end the tail by one Ctrl-C, though whom %s names takes the connection and says nothing',
    async (variable) => {
      const server = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      const connected = once(server, 'connection');
      await once(server, 'listening');
      const url = `postgres://u:p@127.0.0.1:${Object(server.address()).port}/x`;
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      writeFileSync(join(folder, 'database-url'), url);
      const running = tail([], { [variable]: variable === 'DATABASE_URL' ? url : folder });
      const [socket] = await connected;
      onTestFinished(() => void socket.destroy());
      const began = performance.now();
      process.emit('SIGINT');
      expect(await running).toMatchObject({ exit: 0 });
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );

  it.each([
    ['the queue', queue, ['ls']],
    ['the tail', tail, []],
  ] as const)('say of %s what is wrong with a database that is away', async (_, verb, argv) => {
    const DATABASE_URL = 'postgres://u:secret@127.0.0.1:1/x';
    const { exit, err } = await verb(argv, { DATABASE_URL });
    expect(exit).toBe(1);
    expect(err).toContain('the database does not answer');
    expect(err).not.toContain('secret');
  });

  it('say that the user sees no schema, and not that tables are missing there', async () => {
    const { url } = await freshDatabase();
    const { exit, err } = await queue(['ls'], { DATABASE_URL: `${url}?search_path=nowhere` });
    expect([exit, err]).toEqual([1, expect.stringContaining(mends['no-right'])]);
    expect(err).toContain('of its search_path (nowhere)');
  });

  it.each([
    ['57P03', 'the database system is starting up', 'the database does not answer', 'no-server'],
    ['57P01', 'terminating connection', 'the database does not answer', 'no-server'],
    ['53300', 'sorry, too many clients already', 'the database is full', 'full'],
  ] as const)(
    'say what is wrong with a server that lets nobody in (%s), and what to do',
    async (code, says, what, kind) => {
      const refusing = await refusingPostgres({ code, says });
      const { exit, err } = await queue(['ls'], { DATABASE_URL: refusing.url });
      refusing.close();
      expect([exit, err]).toEqual([1, expect.stringContaining(`${what}: ${says} (${code})`)]);
      expect(err).toContain(mends[kind]);
      expect(err).not.toContain('secret');
    },
  );

  it.each([
    ['the queue', queue, ['ls'], 'there is no database to look into'],
    ['the tail', tail, [], 'there is nobody to listen to'],
  ] as const)('say of %s that nothing was ever served here', async (_, verb, argv, expected) => {
    const { exit, err } = await verb(argv, { GATEHOUSE_STATE: '/tmp/no-such-gatehouse' });
    expect([exit, err]).toEqual([1, expect.stringContaining(expected)]);
  });
});
