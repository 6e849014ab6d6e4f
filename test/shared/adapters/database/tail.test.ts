import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenToTail, tailChannel } from '#shared/adapters/database/tail.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { eventually } from '#test/support/working.ts';

describe('the tail in Postgres', () => {
  let url: string;
  let sql: postgres.Sql;

  beforeAll(async () => {
    ({ url } = await freshDatabase({ isMigrated: false }));
    sql = postgres(url, { max: 1 });
  }, 60_000);

  afterAll(() => sql.end());

  function listen(more: { isBehind?: () => boolean; url?: string } = {}) {
    const heard: string[] = [];
    const ending = new AbortController();
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const listening = listenToTail({
      url,
      onPayload: (payload) => heard.push(payload),
      onReady: resolve,
      signal: ending.signal,
      ...more,
    });
    const end = () => {
      ending.abort();
      return listening;
    };
    return { heard, ready, end };
  }

  it('knows whether somebody listens, and brings him what is said', async () => {
    const channel = tailChannel(sql);
    expect(await channel.isListened()).toBe(false);
    const { heard, ready, end } = listen();
    await ready;
    await eventually(async () => expect(await channel.isListened()).toBe(true));
    await channel.say('{"lines":[]}');
    await eventually(() => expect(heard).toEqual(['{"lines":[]}']));
    await end();
    await eventually(async () => expect(await channel.isListened()).toBe(false));
  });

  it('takes two who tell for no listener', async () => {
    const other = postgres(url, { max: 1 });
    for (let turn = 0; turn < 50; turn += 1) await tailChannel(other).isListened();
    expect(await tailChannel(sql).isListened()).toBe(false);
    await other.end();
  });

  it('keeps nobody talking for a listener who is behind', async () => {
    const { ready, end } = listen({ isBehind: () => true });
    await ready;
    expect(await tailChannel(sql).isListened()).toBe(false);
    await end();
  });

  it('ends when it is told to, though nothing comes through any more', async () => {
    const between = await proxyTo(url);
    const { ready, end } = listen({ url: between.url });
    await ready;
    between.freeze();
    // Until it asks for its lock again.
    await pause(1_200);
    const began = performance.now();
    await end();
    expect(performance.now() - began).toBeLessThan(500);
    between.close();
  });

  it('listens on after its connections were cut', async () => {
    const { heard, ready, end } = listen();
    await ready;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'gatehouse tail' and datname = current_database()`;
    const channel = tailChannel(sql);
    await eventually(async () => expect(await channel.isListened()).toBe(true));
    await eventually(async () => {
      await channel.say('again');
      expect(heard).toContain('again');
    });
    await end();
  });
});
