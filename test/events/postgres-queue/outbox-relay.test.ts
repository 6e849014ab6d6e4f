import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planner } from '#events/postgres-queue/connection.ts';
import { openOutbox } from '#events/postgres-queue/outbox-relay.ts';
import type { Unsent } from '#events/sqs-queue/outbox.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { outboxContract } from '../../contracts/queue-outbox.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { beginOutbox } from './outbox-transaction.ts';

let database: FreshDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await freshDatabase();
  sql = openDatabase(database.url, { name: 'test', connections: 8, parameters: planner }).sql;
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
});

outboxContract('outbox in Postgres', async () => {
  await sql`truncate outbox`;
  return { outbox: openOutbox(sql), begin: () => beginOutbox(sql) };
});

describe('the relay of Postgres', () => {
  it('loses its turn with its connection, and the next one has it', async () => {
    const dying = postgres(database.url, { max: 2, onnotice: () => undefined });
    const inside = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<unknown>();
    const first = openOutbox(dying).alone(async (unsent) => {
      inside.resolve();
      await takeForEver(unsent).catch(stopped.resolve);
    });
    const ended = expect(first).rejects.toThrow(/./);
    await inside.promise;
    const next = openOutbox(sql);
    expect(await next.alone(async () => 'too early')).toBeUndefined();
    await sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    await ended;
    expect(await stopped.promise).toMatchObject({ message: 'another relay has its turn' });
    expect(await next.alone(async () => 'in turn')).toBe('in turn');
    await dying.end({ timeout: 1 });
  });

  it('keeps a body for as long as SQS may have a letter that names it, and no longer', async () => {
    const outbox = openOutbox(sql);
    await outbox.add([{ function: 'one', group: 'g', type: 't.v1', body: 'b', eventId: 'e' }]);
    const rows = await outbox.alone((unsent) => unsent.take({ max: 9, except: [] }));
    const ids = (rows ?? []).map(({ id }) => id);
    await outbox.alone((unsent) => unsent.accepted({ gone: [], kept: ids }));
    const found = async (days: number) => {
      await sql`update outbox set sent_at = now() - ${days} * interval '1 day'`;
      await outbox.alone(async () => undefined);
      return outbox.bodies.find(ids[0] ?? '');
    };
    expect([await found(41), await found(43)]).toEqual(['b', undefined]);
  });

  it('gives an id to no other message, of no other database either', async () => {
    await sql`truncate outbox restart identity`;
    const outbox = openOutbox(sql);
    const ids = new Set<string>();
    for (const _ of [1, 2, 3]) {
      await outbox.add([{ function: 'one', group: 'g', type: 't.v1', body: 'b', eventId: 'e' }]);
      const rows = await outbox.alone((unsent) => unsent.take({ max: 1, except: [] }));
      for (const { id } of rows ?? []) ids.add(id);
      await sql`truncate outbox restart identity`;
    }
    expect(ids.size).toBe(3);
  });

  it('counts what it knew by a number that is another message’s by now as nobody’s', async () => {
    const outbox = openOutbox(sql);
    const add = (body: string) =>
      outbox.add([{ function: 'one', group: 'g', type: 't.v1', body, eventId: 'e' }]);
    const take = () => outbox.alone((unsent) => unsent.take({ max: 1, except: [] }));
    await sql`truncate outbox restart identity`;
    await add('forgotten');
    const [forgotten] = (await take()) ?? [];
    const id = forgotten?.id ?? '';
    await sql`truncate outbox restart identity`;
    await add('another');

    await outbox.alone((unsent) => unsent.accepted({ gone: [id], kept: [] }));
    await outbox.alone((unsent) => unsent.accepted({ gone: [], kept: [id] }));
    expect(await take()).toMatchObject([{ body: 'another' }]);
    await sql`update outbox set sent_at = now()`;
    await outbox.bodies.drop([id]);
    expect(await outbox.bodies.find(id)).toBeUndefined();
    expect(await sql`select body from outbox`).toEqual([{ body: 'another' }]);
  });
});

async function takeForEver(unsent: Unsent): Promise<void> {
  for (;;) await unsent.take({ max: 1, except: [] });
}
