import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fleetOf } from '#events/fleet.ts';
import type { Wake } from '#events/kinds.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import { defineReconcile } from '#shared/define.ts';
import { done } from '#shared/domain/outcome.ts';
import { eventApp } from '#shared/runtime/invoke/event-app.ts';
import { listenPlainly } from '#shared/runtime/listen.ts';
import { doorWith } from '#test/support/invoking.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { defaultClustersQueue } from '#test/support/postgres-queue.ts';
import { reconcileBy } from '#test/support/running.ts';
import { type Inside, openWay, serveInside } from '#test/support/serving.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { eventually, messageOf } from '#test/support/working.ts';
import { startSqs } from '../../events/sqs-queue/server.ts';

const samples = { capabilities: ['samples'] };
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  await freshDatabase();
}, 60_000);

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function open(inside: Inside) {
  const serving = await serveInside(inside);
  endings.push(() => serving.stop());
  return serving;
}

async function wayToDatabase(options?: { isMigrated: boolean }) {
  const { url } = await freshDatabase(options);
  const way = await openWay(url);
  endings.push(way.close);
  return { direct: url, ...way };
}

function ticking(name = 'tick-tock', capability = 'samples') {
  const wakes: Wake[] = [];
  const definition = defineReconcile({
    name,
    capability,
    trigger: { everySeconds: 60 },
    uses: [],
    deadlineMs: 1_000,
    handler: (wake) => {
      wakes.push(wake);
      return done;
    },
  });
  return { definition, wakes };
}

async function mountedCertificate() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-serve-'));
  endings.push(() => rmSync(directory, { recursive: true }));
  const ca = await makeCa();
  const { certificate, key } = await makeLeaf(ca);
  writeFileSync(join(directory, 'tls.crt'), certificate);
  writeFileSync(join(directory, 'tls.key'), key);
  writeFileSync(join(directory, 'ca.crt'), ca.certificate);
  return { source: 'files' as const, directory };
}

describe('serve as a worker', () => {
  it('makes the schema, runs what is on the queue, and what time wakes', async () => {
    const { url } = await freshDatabase({ isMigrated: false });
    const seen: string[] = [];
    const mapped = reconcileBy((wake) => {
      seen.push(wake.kind === 'object' ? wake.name : 'period');
      return done;
    });
    const { definition, wakes } = ticking();
    const settings = samples;
    const { readiness, port } = await open({
      functions: [mapped, definition],
      settings,
      databaseUrl: url,
    });
    expect(port).toBeUndefined();
    expect(await readiness()).toMatchObject({ code: 200, ready: true });
    await eventually(() => expect(wakes).toEqual([{ kind: 'period', function: 'tick-tock' }]));

    const queue = await defaultClustersQueue(url);
    endings.push(() => queue.close());
    await queue.send([messageOf({ name: 'one' })]);
    await eventually(() => expect(seen).toEqual(['one']));
    await eventually(async () =>
      expect(await queue.depth(['follow-maps'])).toMatchObject([{ waiting: 0, inFlight: 0 }]),
    );
  });

  it('blames no function for a run that its own end has cut short', async () => {
    const { url } = await freshDatabase();
    const { promise: isInHand, resolve: begun } = Promise.withResolvers<void>();
    const endless = new Promise<never>(() => undefined);
    const { definition } = ticking();
    const handler = () => {
      begun();
      return endless;
    };
    const lingering = { ...definition, deadlineMs: 60_000, handler };
    const settings = { ...samples, worker: { graceSeconds: 0 } };
    const { stop, log } = await open({ functions: [lingering], settings, databaseUrl: url });
    await isInHand;
    await stop();
    expect(log.lines).toContainEqual({
      level: 'warn',
      fields: expect.objectContaining({ why: 'it was told to stop' }),
      message: 'a run was ended',
    });
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('follows the configuration: what is switched off waits, and runs when it is on', async () => {
    const { url } = await freshDatabase();
    const { definition, wakes } = ticking();
    const { change } = await open({
      functions: [definition],
      settings: { capabilities: [] },
      databaseUrl: url,
    });
    change(samples);
    await eventually(() => expect(wakes).toHaveLength(1));
  });

  it('runs every function by its period where a setting of one is none, and says which', async () => {
    const { url } = await freshDatabase();
    const [tick, sweep] = [ticking(), ticking('sweep')];
    const everySeconds = { setting: 'custom.sweep.everySeconds', fallback: 60 };
    const { change, log, readiness } = await open({
      functions: [tick.definition, { ...sweep.definition, trigger: { everySeconds } }],
      settings: { ...samples, custom: { sweep: { everySeconds: 'abc' } } },
      databaseUrl: url,
    });
    await eventually(() => expect([tick.wakes, sweep.wakes]).toMatchObject([[{}], [{}]]));
    const said = () =>
      log.lines.flatMap(({ level, fields }) =>
        fields['condition'] === 'settings-of-functions' ? [[level, fields['why']]] : [],
      );
    const why =
      'sweep: custom.sweep.everySeconds: expected a number, found "abc"; 60 is used. Mend the configuration';
    expect(said()).toEqual([['error', why]]);
    expect(await readiness()).toMatchObject({ code: 200 });
    change({ ...samples, custom: { sweep: { everySeconds: 30 } } });
    await eventually(() => expect(said()).toHaveLength(2));
  });

  it('goes on after an outage of the database, and says so meanwhile', async () => {
    const way = await wayToDatabase();
    const seen: Wake[] = [];
    const mapped = reconcileBy((wake) => {
      seen.push(wake);
      return done;
    });
    const settings = samples;
    const { readiness, log } = await open({ functions: [mapped], settings, databaseUrl: way.url });
    way.cut();
    await eventually(async () =>
      expect(await readiness()).toMatchObject({ code: 503, waitingFor: ['worker'] }),
    );
    const queue = await defaultClustersQueue(way.direct);
    endings.push(() => queue.close());
    await queue.send([messageOf()]);
    way.mend();
    await eventually(() => expect(seen).toHaveLength(1));
    await eventually(async () => expect(await readiness()).toMatchObject({ code: 200 }));
    const said = log.lines.filter(({ fields }) => fields['condition'] === 'queue');
    // What else is the matter meanwhile is a warning.
    const levels = said.map(({ level }) => level).filter((level) => level !== 'warn');
    expect(levels).toEqual(['error', 'info']);
  });

  it('posts to a service what the settings say is there, and takes its word', async () => {
    const { url } = await freshDatabase();
    const door = doorWith({ 'tick-tock/period': { kind: 'undecodable', why: 'never' } });
    const { fetch } = eventApp(door);
    const service = await listenPlainly({ address: '127.0.0.1', port: 0, fetch });
    endings.push(() => service.close(0));
    const { definition, wakes } = ticking();
    const services = { 'tick-tock': `http://127.0.0.1:${service.port}`, 'tick-tok': 'http://x' };
    const settings = { ...samples, worker: { services } };
    const { log } = await open({ functions: [definition], settings, databaseUrl: url });
    const queue = await defaultClustersQueue(url);
    endings.push(() => queue.close());
    await eventually(async () =>
      expect(await queue.listDead({ max: 1 })).toMatchObject([{ why: 'never' }]),
    );
    expect([door.seen.length, wakes]).toEqual([1, []]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { functions: ['tick-tok'] } }),
    );
  });

  it('refuses a schema that it would misread, and leaves it as it is', async () => {
    const { url } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    endings.push(() => sql.end());
    await sql`insert into gatehouse_migrations (name, hash, is_additive)
      values ('9999_other', 'x', false)`;
    await expect(serveInside({ databaseUrl: url })).rejects.toThrow(
      'the schema is newer than this Gatehouse',
    );
  });

  it('ends while it waits for a database that was never there', async () => {
    const way = await wayToDatabase();
    way.cut();
    const stopping = new AbortController();
    const serving = serveInside({ databaseUrl: way.url, stopped: stopping.signal });
    stopping.abort(new Error('told to stop'));
    await expect(serving).rejects.toThrow('told to stop');
  });
});

describe('serve as admission', () => {
  it('answers without a database, and turns its periods itself', async () => {
    const { definition, wakes } = ticking();
    const certificates = await mountedCertificate();
    const { readiness, port } = await open({
      role: 'admission',
      functions: [definition],
      settings: { ...samples, certificates },
    });
    expect(port).toBeGreaterThan(0);
    expect(await readiness()).toMatchObject({ code: 200, degraded: [] });
    await eventually(() => expect(wakes).toHaveLength(1));
  });

  it('holds on to nothing of a schema that it would misread, and answers without', async () => {
    const { url } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    endings.push(() => sql.end());
    await sql`insert into gatehouse_migrations (name, hash, is_additive)
      values ('9999_other', 'x', false)`;
    const { readiness } = await open({
      role: 'admission',
      settings: { ...samples, certificates: await mountedCertificate() },
      databaseUrl: url,
    });
    await eventually(async () => {
      expect(
        await sql`
        select application_name as name from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
      ).toEqual([]);
      const newer = expect.stringContaining('the schema is newer than this Gatehouse');
      const degraded = expect.arrayContaining([newer]);
      expect(await readiness()).toMatchObject({ code: 200, degraded });
    });
  });

  it('comes up and answers while the database is away, and leaves periods to the worker', async () => {
    const way = await wayToDatabase();
    way.cut();
    const { definition, wakes } = ticking();
    const certificates = await mountedCertificate();
    const { readiness } = await open({
      role: 'admission',
      functions: [definition],
      settings: { ...samples, certificates },
      databaseUrl: way.url,
    });
    await eventually(async () =>
      expect(await readiness()).toMatchObject({
        code: 200,
        degraded: expect.arrayContaining(['waiting for the database']),
      }),
    );
    way.mend();
    await eventually(async () =>
      expect(await readiness()).toMatchObject({ code: 200, degraded: [] }),
    );
    expect(wakes).toEqual([]);
  });
});

describe('serve as a forwarder', () => {
  it('puts on the queue what is due, its periods too: there may be no worker anywhere', async () => {
    const { url } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    endings.push(() => sql.end());
    const { definition, wakes } = ticking();
    const { schedule } = fleetOf('default');
    await schedule(scheduleOn({ sql, sender: senderOn })).add([
      { message: messageOf(), reason: 'retry', afterMs: 0 },
    ]);
    await open({
      role: 'forwarder',
      functions: [definition, reconcileBy(() => done)],
      settings: samples,
      databaseUrl: url,
    });
    const queue = await defaultClustersQueue(url);
    endings.push(() => queue.close());
    for (const name of ['follow-maps', 'tick-tock']) {
      await eventually(async () => expect(await queue.peek(name, 10)).toHaveLength(1));
    }
    expect(wakes).toEqual([]);
  });
});

describe('serve as all', () => {
  it('is each of them, and goes in order', async () => {
    const { url } = await freshDatabase();
    const { definition, wakes } = ticking();
    const certificates = await mountedCertificate();
    const serving = await serveInside({
      role: 'all',
      functions: [definition],
      settings: { ...samples, certificates },
      databaseUrl: url,
    });
    await eventually(() => expect(wakes).toHaveLength(1));
    expect(serving.port).toBeGreaterThan(0);
    await serving.stop();
    expect(serving.log.lines.at(-1)?.message).toBe('stopped');
  });

  it('takes messages from SQS, that the relay has handed on', async () => {
    const { url } = await freshDatabase();
    const server = await startSqs();
    endings.push(() => server.stop());
    await server.createQueues('gatehouse-test', ['tick-tock']);
    const { definition, wakes } = ticking();
    const certificates = await mountedCertificate();
    const { readiness } = await open({
      role: 'all',
      functions: [definition],
      settings: { ...samples, certificates, worker: { graceSeconds: 0 } },
      databaseUrl: url,
      queue: { kind: 'sqs', prefix: 'gatehouse-test', client: server.settings, pollSeconds: 1 },
    });
    await eventually(() => expect(wakes).toHaveLength(1));
    expect(await readiness()).toMatchObject({ code: 200, degraded: [] });
  });

  it('cares for certificates by itself where messages come from SQS, which has no queue for them', async () => {
    const { url } = await freshDatabase();
    const server = await startSqs();
    endings.push(() => server.stop());
    await server.createQueues('gatehouse-test', ['tick-tock']);
    const samplesOfIt = ticking();
    const tending = ticking('tend-certificates', 'certificates');
    const certificates = await mountedCertificate();
    const { log } = await open({
      role: 'all',
      functions: [samplesOfIt.definition, tending.definition],
      settings: { ...samples, certificates, worker: { graceSeconds: 0 } },
      databaseUrl: url,
      queue: { kind: 'sqs', prefix: 'gatehouse-test', client: server.settings, pollSeconds: 1 },
    });
    await eventually(() => {
      expect([samplesOfIt.wakes.length, tending.wakes.length]).toEqual([1, 1]);
    });
    const sql = postgres(url, { max: 1 });
    endings.push(() => sql.end());
    expect(await sql`select function from wakeups`).toMatchObject([{ function: 'tick-tock' }]);
    expect(await sql`select function from outbox`).toEqual([]);
    expect(log.lines.filter(({ message }) => message.startsWith('SQS refuses'))).toEqual([]);
  });
});
