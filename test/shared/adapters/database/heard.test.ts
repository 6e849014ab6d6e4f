import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { openHeard } from '#shared/adapters/database/heard.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { configMaps, namespaces, nodes } from '#shared/domain/kind.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { keptKinds } from '#shared/runtime/mirrored-ports.ts';
import { committed, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { until } from '#test/support/until.ts';
import { database, type MirrorStage, mirrorStage, namespaceOf, startMs } from './mirror-stage.ts';

const quietly = () => ({ send: async () => undefined });
const long = 60_000;

describe('what is heard of the mirror', () => {
  const stages: MirrorStage[] = [];
  const open = async (...given: Parameters<typeof mirrorStage>) => {
    const stage = await mirrorStage(...given);
    stages.push(stage);
    return stage;
  };
  beforeAll(async () => void (await database), startMs);
  afterEach(() => Promise.all(stages.splice(0).map((stage) => stage.close())));

  const put = ({ writer }: MirrorStage, name: string, tier: string) =>
    writer.put(namespaces, namespaceOf(name, { tier }));
  const find = async (stage: MirrorStage, name = 'a') =>
    (await stage.namespaces.find(name))?.labels['tier'];
  /** Behind everybody's back: what is still answered was remembered. */
  const blank = ({ direct, cluster }: MirrorStage) =>
    direct`update objects set body = '{"metadata":{}}' where cluster = ${cluster}`;
  /** Each time that something is forgotten: after what is remembered has heard of it. */
  const toldOf = ({ heard }: MirrorStage) => {
    const told: unknown[] = [];
    heard.onChange(namespaces, (names) => told.push(names));
    return told;
  };

  it('is stale until a forwarder is at work on the kind', async () => {
    const stage = await open({ isEmpty: true });
    expect(await find(stage)).toBe('live');
    await put(stage, 'a', 'mirrored');
    await stage.isFresh();
    expect(await find(stage)).toBe('mirrored');
    expect(stage.heard.isStale(nodes)).toBe(true);
  });

  it('is stale once another history of the cluster has begun, until the kind is listed in that', async () => {
    const { direct, cluster, isStale, isFresh } = await open();
    await direct`insert into clusters (cluster, uid, epoch) values (${cluster}, 'u', 2)`;
    await isStale();
    await direct`update watches set epoch = 2 where cluster = ${cluster}`;
    await isFresh();
  });

  it('is refused for a kind that nobody listens to', async () => {
    const { heard } = await open();
    const pods = { group: '', resource: 'pods' };
    expect(() => heard.onChange(pods, () => undefined)).toThrow('pods');
  });

  it('tells a change without waiting for a heartbeat', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    for (const tier of ['1', '2', '3', '4', '5', '6', '7', '8']) {
      await put(stage, 'a', tier);
      await until(async () => (await find(stage)) === tier);
    }
  });

  it('is remembered while nothing changes', async () => {
    const stage = await open();
    await find(stage);
    await blank(stage);
    expect(await find(stage)).toBe('mirrored');
  });

  it('is remembered while only others change', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    await find(stage);
    await blank(stage);
    const told = toldOf(stage);
    for (const tier of ['x', 'y']) await put(stage, 'b', tier);
    await until(() => told.length > 1);
    expect(await find(stage)).toBe('mirrored');
  });

  it('is forgotten with the next heartbeat where a notice was lost', async () => {
    const stage = await open();
    await find(stage);
    const { direct: sql, cluster } = stage;
    const store = storeOn(sql, { cluster, sender: quietly, notifies: () => false });
    const claimed = await store.claim('namespaces', 'writer', long);
    if (claimed === undefined) throw new Error('somebody else writes');
    await store.transact(claimed.term, async (transaction) => {
      const [row] = await transaction.find({ uids: ['uid-of-a'], names: [] });
      const object = namespaceOf('a', { tier: 'unheard' });
      if (row !== undefined) await transaction.write([{ ...row, object }]);
    });
    expect(await until(async () => (await find(stage)) === 'unheard')).toBeLessThan(1_000);
  });

  it('is forgotten where the notice after a lost one shows the gap', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    await find(stage);
    const { direct: sql, cluster } = stage;
    await sql`update watches set changes = changes + 1 where cluster = ${cluster}`;
    await sql`update objects set body = ${sql.json(namespaceOf('a', { tier: 'unheard' }))}
      where cluster = ${cluster}`;
    expect(await find(stage)).toBe('mirrored');
    await put(stage, 'b', 'x');
    await until(async () => (await find(stage)) === 'unheard');
  });

  it('is forgotten with a scope that is retired, which then keeps nothing stale', async () => {
    const { writer, heard, direct: sql, cluster } = await open();
    const scopes = ['a', 'b'].map((namespace) => ({ kind: configMaps, namespace }));
    const [one = '', other = ''] = scopes.map(scopeName);
    for (const scope of scopes) {
      const metadata = { name: 'c', uid: `c-${scope.namespace}`, namespace: scope.namespace };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      await writer.put(configMaps, object, [], scope);
    }
    await until(() => [one, other].every((each) => !heard.isStale(configMaps, [each])));
    const told: unknown[] = [];
    heard.onChange(configMaps, (names) => told.push(names));
    await sql`update watches set is_retired = true, lease_until = ${new Date(0)}
      where cluster = ${cluster} and scope = ${other}`;
    await until(() => told.length > 0);
    expect(told).toEqual([undefined]);
    expect(heard.isStale(configMaps, [one, other])).toBe(false);
  });

  it('is as old as its heartbeat was when it was asked for, not when it was answered', async () => {
    const { direct: sql, proxied, cluster, heard: other } = await open();
    await other.close();
    let nowMs = 0;
    const pace = { beatMs: long, staleMs: long, now: () => nowMs };
    const heard = await sql.begin(async (tx) => {
      await tx`lock table watches in access exclusive mode`;
      const opened = openHeard(proxied, { cluster, kinds: keptKinds, ...pace });
      await until(async () => {
        const waiting = await sql`
          select 1 from pg_locks where relation = 'watches'::regclass and not granted
            and database = (select oid from pg_database where datname = current_database())`;
        return waiting.length > 0;
      });
      nowMs = 5_000;
      return opened;
    });
    await until(() => Number.isFinite(heard.beatAgeMs()));
    expect(heard.beatAgeMs()).toBe(5_000);
    await heard.close();
  });

  it('answers nothing while the listener is half open', async () => {
    const stage = await open({ staleMs: 300 });
    await find(stage);
    stage.proxy.freeze();
    expect(await stage.isStale()).toBeLessThan(1_000);
    expect(await find(stage)).toBe('live');
  });

  it('comes back from a half open connection by a new one, with all forgotten', async () => {
    const stage = await open({ staleMs: 300 });
    await find(stage);
    stage.proxy.freeze();
    await stage.isStale();
    await put(stage, 'a', 'meanwhile');
    await stage.isFresh();
    expect(await find(stage)).toBe('meanwhile');
  });

  it('comes back where a connection never answers the first that it is asked', async () => {
    const { heard: other, proxy, proxied, cluster } = await open();
    await other.close();
    let isAsked = false;
    const debug = (_: number, text: string) => {
      if (!isAsked && text.startsWith('listen')) proxy.freeze();
      isAsked ||= text.startsWith('listen');
    };
    const sql = { options: { ...proxied.options, debug } } as unknown as Sql;
    const pace = { beatMs: 50, staleMs: 300 };
    const heard = openHeard(sql, { cluster, kinds: keptKinds, ...pace });
    onTestFinished(heard.close);
    await until(() => !heard.isStale(namespaces));
    expect(isAsked).toBe(true);
  });

  it('answers nothing while the database is away, and again afterwards', async () => {
    const stage = await open();
    await find(stage);
    stage.proxy.cut();
    await stage.isStale();
    expect(await find(stage)).toBe('live');
    await put(stage, 'a', 'meanwhile');
    stage.proxy.mend();
    await stage.isFresh();
    expect(await find(stage)).toBe('meanwhile');
  });

  it('is stale at once when the server ends the listener', async () => {
    const stage = await open({ staleMs: long });
    await find(stage);
    await stage.direct`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await stage.isStale();
  });

  it('counts no heartbeat that was answered on a connection on which nobody listens', async () => {
    const { direct, cluster } = await open();
    const { hostname, port } = new URL((await database).url);
    const sockets: Socket[] = [];
    const socket = () => sockets[sockets.push(connect(Number(port), hostname)) - 1];
    const agesMs: number[] = [];
    // It looks at the clock before it asks, and again once it has an answer: of a connection that is lost in between the
    // library makes another one, and asks there.
    const looks: readonly (() => unknown)[] = [
      () => sockets[0]?.emit('close', false),
      () => agesMs.push(heard.beatAgeMs()),
    ];
    let looked = 0;
    const now = () => {
      looked += 1;
      looks[looked - 1]?.();
      return 0;
    };
    const sql = { options: { ...direct.options, socket } } as unknown as Sql;
    const pace = { beatMs: long, staleMs: long, now };
    const heard = openHeard(sql, { cluster, kinds: keptKinds, ...pace });
    await until(() => agesMs.length > 0);
    await heard.close();
    for (const each of sockets) each.destroy();
    expect(agesMs).toEqual([Number.POSITIVE_INFINITY]);
  });

  it('is forgotten with every new connection, whatever the count says', async () => {
    const stage = await open({ staleMs: long });
    await find(stage);
    const { direct: sql, cluster } = stage;
    await sql`update objects set body = ${sql.json(namespaceOf('a', { tier: 'other' }))}
      where cluster = ${cluster}`;
    expect(await find(stage)).toBe('mirrored');
    stage.proxy.cut();
    await stage.isStale();
    stage.proxy.mend();
    await stage.isFresh();
    expect(await find(stage)).toBe('other');
  });

  it('is closed at once although the database answers nothing', async () => {
    const stage = await open({ beatMs: 10, staleMs: long });
    stage.proxy.freeze();
    await sleep(50);
    const from = performance.now();
    await stage.heard.close();
    expect(performance.now() - from).toBeLessThan(1_000);
  });

  it.each([
    ['nobody holds the lease', { lease_until: new Date(0) }],
    ['the watch was not heard of for long', { updated_at: new Date(0) }],
    ['a list is under way', { position: 'listing' }],
  ])('answers nothing while %s', async (_, watch) => {
    const stage = await open();
    const { direct: sql, cluster } = stage;
    await find(stage);
    await sql`update watches set ${sql(watch)} where cluster = ${cluster}`;
    await stage.isStale();
    expect(await find(stage)).toBe('live');
  });

  it('is not disturbed by another cluster, nor by what is no notice', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    await find(stage);
    await blank(stage);
    const told = toldOf(stage);
    const place = { cluster: 'other', group: '', resource: 'namespaces', scope: 'namespaces' };
    for (const said of [JSON.stringify({ ...place, changes: 9 }), 'not JSON', '{}', 'null']) {
      await stage.direct.notify('gatehouse_mirror', said);
    }
    // Heard after all that was said before.
    await put(stage, 'b', 'x');
    await until(() => told.length > 0);
    expect(await find(stage)).toBe('mirrored');
  });

  it('is told of more names than a notice holds, which are committed all the same', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    await find(stage);
    const { direct: sql, cluster } = stage;
    await sql`update objects set body = ${sql.json(namespaceOf('a', { tier: 'unheard' }))}
      where cluster = ${cluster}`;
    const store = storeOn(sql, { cluster, sender: quietly });
    const term = await termOf(store, 'namespaces', 'writer');
    // 8,000 bytes are the server's most, with its count and the place of each.
    const rows = Array.from({ length: 32 }, (_, at) =>
      rowOf(`${at}`, { namespace: '', name: `${at}-${'n'.repeat(250)}` }),
    );
    await committed(store, term, ({ write }) => write(rows));
    await until(async () => (await find(stage)) === 'unheard');
  });

  it('never remembers what was read before a change and arrived after it', async () => {
    const stage = await open({ beatMs: long, staleMs: long });
    for (let round = 0; round < 12; round += 1) {
      const reading = [find(stage), find(stage), find(stage)];
      await Promise.all([put(stage, 'a', `${round}`), ...reading]);
      await until(async () => (await find(stage)) === `${round}`);
    }
  });

  it('is seen within a second while 500 others change each second', async () => {
    const stage = await open({ beatMs: 1_000, staleMs: 3_000 });
    const store = storeOn(stage.direct, { cluster: stage.cluster, sender: quietly });
    const term = await termOf(store, 'pods');
    const ending = new AbortController();
    const others = busy(store, term, ending.signal);
    const tookMs: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await put(stage, 'a', `${round}`);
      tookMs.push(await until(async () => (await find(stage)) === `${round}`));
    }
    ending.abort();
    expect(await others).toBeGreaterThan(0);
    expect(Math.max(...tookMs)).toBeLessThan(1_000);
  });
});

/** 25 changes, twenty times a second; how many there were. */
async function busy(store: Store, term: Term, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count += 25) {
    const rows = Array.from({ length: 25 }, (_, place) => rowOf(`${(count + place) % 500}`));
    await committed(store, term, ({ write }) => write(rows));
    await sleep(50, undefined, { signal }).catch(() => undefined);
  }
  return count;
}
