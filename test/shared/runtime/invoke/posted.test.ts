import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { done } from '#shared/domain/outcome.ts';
import type { EventMode } from '#shared/runtime/invoke/cloud-event-out.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { defaultClustersQueue } from '#test/support/postgres-queue.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';
import { serveInside } from '#test/support/serving.ts';
import { eventually } from '#test/support/working.ts';

type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

const ours = { 'ce-type': 'function.ran.v1', 'content-type': 'application/json' };
const structured = { 'content-type': 'application/cloudevents+json' };
const inEvent = (data: object) => ({ specversion: '1.0', type: 'function.ran.v1', data });

/** What a service answers, and what then stands in the database: `reason attempt`, a reason to be buried, or nothing. */
const replies: Readonly<Record<string, readonly [Reply, string]>> = {
  done: [{ status: 200, headers: ours, body: { kind: 'done' } }, 'nothing'],
  later: [{ status: 200, headers: ours, body: { kind: 'later', afterSeconds: 600 } }, 'later 0'],
  retry: [{ status: 200, headers: ours, body: { kind: 'retry', why: 'away' } }, 'retry 1'],
  conflict: [{ status: 200, headers: ours, body: { kind: 'conflict', why: 'two' } }, 'retry 1'],
  'give-up': [{ status: 200, headers: ours, body: { kind: 'give-up', why: 'no' } }, 'buried: no'],
  structured: [
    { status: 200, headers: structured, body: inEvent({ kind: 'later', afterSeconds: 600 }) },
    'later 0',
  ],
  accepted: [{ status: 202 }, 'nothing'],
  undecodable: [{ status: 400, body: { kind: 'undecodable', why: 'odd' } }, 'buried: odd'],
  refused: [{ status: 400, body: 'no' }, 'retry 1'],
  unknown: [{ status: 404 }, 'retry 1'],
  busy: [{ status: 429, headers: { 'retry-after': '600' } }, 'later 0'],
  starting: [{ status: 503 }, 'retry 1'],
  broken: [{ status: 500 }, 'retry 1'],
};

const names = Object.keys(replies);

let database: FreshDatabase;
let sql: Sql;
let service: Server;
const asked: string[] = [];

/** Its context in headers, or all of it in the body. */
async function nameIn(request: IncomingMessage): Promise<string> {
  const body = (await json(request)) as { readonly name: string; readonly data?: never };
  const isBinary = request.headers['ce-specversion'] === '1.0';
  asked.push(isBinary ? 'binary' : 'structured');
  const event = body as { readonly data?: { readonly name: string } };
  return isBinary ? body.name : (event.data?.name ?? '');
}

beforeAll(async () => {
  database = await freshDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  await noteFates();
  service = createServer(async (request, response) => {
    const {
      status,
      headers = {},
      body,
    }: Reply = replies[await nameIn(request)]?.[0] ?? {
      status: 500,
    };
    response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  service.listen(0, '127.0.0.1', resolve);
  await promise;
}, 30_000);

afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await sql.end();
  await database.drop();
});

/** The first that each had: what failed comes back after a second or two, and may have another one by then. */
async function fates(): Promise<Readonly<Record<string, string>>> {
  const rows = await sql<{ name: string; fate: string }[]>`
    select distinct on (name) name, fate from fates order by name, id`;
  const found = new Map(rows.map(({ name, fate }) => [name, fate]));
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? 'nothing']));
}

/** Each message that is still on the queue for the first time. */
const unsettled = () => sql`select from queue_messages where attempt = 0`;

async function noteFates(): Promise<void> {
  await sql.unsafe(`
    create table fates (id serial, name text, fate text);
    create function note_wakeup() returns trigger language plpgsql as $$ begin
      insert into fates (name, fate) values (new.body::jsonb ->> 'name', new.reason || ' ' || new.attempt);
      return new;
    end $$;
    create function note_burial() returns trigger language plpgsql as $$ begin
      insert into fates (name, fate) values (new.body::jsonb ->> 'name', 'buried: ' || new.why);
      return new;
    end $$;
    create trigger noted after insert on wakeups for each row execute function note_wakeup();
    create trigger noted after insert on queue_dead for each row execute function note_burial();`);
}

describe('a message that is posted to a service', () => {
  it.each<EventMode>(['binary', 'structured'])(
    'has the fate that the answer says, in %s mode',
    async (eventMode) => {
      await sql`truncate wakeups, queue_dead, queue_groups, queue_messages, fates`;
      asked.length = 0;
      const queue = await defaultClustersQueue(database.url);
      await queue.send(
        names.map((name) =>
          messageFor('follow-maps', mapChanged({ name, uid: name }), `${name}/7/MODIFIED`),
        ),
      );
      const { port } = service.address() as AddressInfo;
      const services = { 'follow-maps': `http://127.0.0.1:${port}` };
      const serving = await serveInside({
        functions: [reconcileBy(async () => done)],
        settings: { capabilities: ['samples'], worker: { services, eventMode } },
        databaseUrl: database.url,
      });
      try {
        await eventually(async () => expect(await unsettled()).toHaveLength(0));
        const expected = Object.entries(replies).map(([name, [, fate]]) => [name, fate]);
        expect(await fates()).toEqual(Object.fromEntries(expected));
        expect(new Set(asked)).toEqual(new Set([eventMode]));
      } finally {
        await serving.stop();
        await queue.close();
      }
    },
    30_000,
  );
});
