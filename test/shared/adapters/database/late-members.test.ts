import type { Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followedFrom } from '#events/forwarder/followed.ts';
import { isLines } from '#events/forwarder/streaming.ts';
import type { SetAffected } from '#events/kinds.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { membersOf } from '#shared/adapters/database/members.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes } from '#shared/adapters/database/sweep.ts';
import { type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Watching } from '#shared/domain/watched.ts';
import { expand } from '#shared/runtime/worker/expand.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team-a', ...more },
  spec: { containers: [{ name: 'c', image: 'x' }] },
});

let sql: Sql;
beforeEach(async () => {
  sql = postgres((await freshDatabase()).url, { max: 6, onnotice: () => undefined }) as Sql;
});
afterEach(() => sql.end({ timeout: 0 }));

/** What one message about a set makes: wake-ups, and what is put on the schedule. */
async function worked(set: SetAffected) {
  const woken: Outgoing[] = [];
  const put: Wakeup[] = [];
  const outcome = await expand(set, {
    functionName: 'look',
    eventId: 'ns/7/modified',
    attempt: 0,
    members: (of, max) => membersOf(sql, of, max),
    sender: { send: async (messages) => void woken.push(...messages) },
    schedule: { add: async (wakeups) => void put.push(...wakeups) },
    tell: ({ why }) => expect.unreachable(why),
  });
  const names = woken.map(({ group }) => group.split('/').at(-1));
  const [look] = put.map(({ message }) => JSON.parse(message.body) as SetAffected);
  return { kind: outcome.kind, names, look };
}

describe('a set of a kind whose watch is behind', () => {
  type Gate = { isHeld: boolean; lines: number };

  /** While it is held, no change is read but so many, one at a time. */
  function gated(watching: Watching, gate: Gate): Watching {
    let waiting: readonly Line[] = [];
    const letIn = async () => {
      await until('they are let in', () => !gate.isHeld || gate.lines > 0);
      const lines = gate.isHeld ? waiting.slice(0, 1) : waiting;
      waiting = waiting.slice(lines.length);
      gate.lines -= 1;
      return lines;
    };
    return {
      ...watching,
      async next(beforeReading) {
        if (waiting.length > 0) return letIn();
        const lines = await watching.next(beforeReading);
        if (!gate.isHeld || !isLines(lines)) return lines;
        waiting = lines.filter(({ kind }) => kind === 'change');
        return waiting.length === 0 ? lines : letIn();
      },
    };
  }

  async function world() {
    const gate: Gate = { isHeld: false, lines: 0 };
    const sent: Outgoing[] = [];
    const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
    const store = storeOn<Outgoing>(sql, { cluster: 'default', sender: () => ({ send }) });
    // Whatever is known when it begins is of long ago.
    const clock = { behindMs: 300_000 };
    const at = await forwarding({
      store: { ...store, moment: async () => (await store.moment()) - clock.behindMs },
      streamOver: (stream) => ({
        ...stream,
        async watch(scope, options) {
          const opened = await stream.watch(scope, { ...options, idleMs: 60_000 });
          const isLate = scope.kind.resource === 'pods' && opened.kind === 'open';
          return isLate ? gated(opened, gate) : opened;
        },
      }),
    });
    return { ...at, sent, gate, clock };
  }

  const rowOf = async (name: string) => (await sql`select from objects where name = ${name}`)[0];

  /** Expanded while two that are there have yet to come to the mirror; and its last look, as if that were due. */
  async function expandedEarly(at: Awaited<ReturnType<typeof world>>) {
    const { objects } = at.cluster;
    objects.create(namespaces, {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: 'team-a' },
    });
    objects.create(pods, pod('old'));
    const watch = { of: namespaces, changed: ['/metadata/labels'], wakes: { all: pods } } as const;
    const one = await at.start([], { caughtUpMs: 20 });
    await one.followAll(followedFrom([subscribed(watch)], [{ kind: pods }]));
    await until('both', () => one.kinds().filter((kind) => kind === 'watching').length === 2);
    await sql`update objects set mirrored_at = now() - interval '1 hour'`;
    at.sent.length = 0;
    at.gate.isHeld = true;
    objects.create(pods, pod('early'));
    objects.create(pods, pod('late'));
    objects.patch(namespaces, { name: 'team-a' }, { metadata: { labels: { team: 'a' } } });
    await until('the set', () => at.sent.length > 0);

    const first = await worked(JSON.parse(at.sent[0]?.body ?? ''));
    expect([first.kind, first.names]).toEqual(['done', ['old']]);
    at.clock.behindMs = 0;
    const { again = expect.unreachable() } = first.look ?? {};
    // As if all of it had been three minutes ago.
    const since = again.since - 180_000;
    return { ...(first.look ?? expect.unreachable()), again: { since } };
  }

  it('wakes whoever was there when it happened, and nobody twice', async () => {
    const at = await world();
    const look = await expandedEarly(at);
    expect(await worked(look)).toMatchObject({ kind: 'retry', names: [] });

    at.gate.isHeld = false;
    await until('both pods', async () => (await rowOf('late')) !== undefined);
    await until('it is known', async () => (await worked(look)).kind === 'done');
    const last = await worked(look);
    expect({ ...last, names: last.names.toSorted() }).toEqual({
      ...{ kind: 'done', look: undefined },
      names: ['early', 'late'],
    });
    await at.close();
  });

  it('waits for all of what its loop works off, and not for its first word', async () => {
    const at = await world();
    const look = await expandedEarly(at);
    at.gate.lines = 1;
    await until('the one', async () => (await rowOf('early')) !== undefined);
    expect(await rowOf('late')).toBeUndefined();
    expect(await worked(look)).toMatchObject({ kind: 'retry', names: [] });
    at.gate.isHeld = false;
    await at.close();
  });
});

describe('a set of a kind that nobody has installed', () => {
  const widgets: Kind = {
    ...{ group: 'example.org', version: 'v1', kind: 'Widget', resource: 'widgets' },
    namespaced: true,
  };

  it('is empty, once it is known that nobody serves it', async () => {
    const { group, resource } = widgets;
    const of = { cluster: 'default', group, resource, namespace: 'team-a', after: '' };
    const set = { kind: 'set', ...of } as const;
    const store = storeOn<Outgoing>(sql, {
      cluster: 'default',
      sender: () => ({ send: async () => undefined }),
    });
    const at = await forwarding({ store });
    expect(await worked(set)).toMatchObject({ kind: 'retry', look: undefined });
    const watch = { of: namespaces, wakes: { all: widgets } } as const;
    const one = await at.start([]);
    await one.followAll(followedFrom([subscribed(watch)], [{ kind: widgets }]));
    await until('it is looked for', () => one.kinds().includes('absent'));
    const first = await worked(set);
    expect(first).toMatchObject({ kind: 'done', names: [] });
    const minutesLater = { since: (first.look?.again?.since ?? 0) - 180_000 };
    const last = await worked({ ...set, again: minutesLater });
    expect(last).toEqual({ kind: 'done', names: [], look: undefined });
    await at.close();
  });
});

describe('a set of a scope that is claimed anew', () => {
  it.each<[string, string]>([
    ['another one had its place', 'pods/team-a'],
    ['nobody had it', 'nodes'],
  ])('is no empty one before a list, where meanwhile %s', async (_, meanwhile) => {
    const sender = () => ({ send: async () => undefined });
    const store = storeOn<Outgoing>(sql, { cluster: 'default', sender });
    const claim = async (scope: string, holder: string) => {
      const claimed = await store.claim(scope, holder, 60_000, 'before-others');
      return claimed ?? expect.unreachable();
    };
    const at = { cluster: 'default', group: '', resource: 'pods', namespace: 'team-a', after: '' };
    const members = () => membersOf(sql, { ...at }, 10);
    const { term } = await claim('pods', 'one');
    await store.beginEpoch(term, { uid: 'u', after: 0 });
    const watching = { epoch: 1, generation: 1, at: { resourceVersion: '7' } };
    await store.transact(term, (transaction) => transaction.setCursor(watching));
    expect(await members()).toMatchObject({ members: [] });

    await store.release(term);
    await claim(meanwhile, 'two');
    await retireScopes(sql, { cluster: 'default', followed: [meanwhile] });
    expect(await members()).not.toHaveProperty('members');
    await claim('pods', 'one');
    expect(await members()).toBe('unknown');
  });
});

describe('who is new to the mirror', () => {
  it('is so once, and again when it comes back', async () => {
    const writer = mirrorWriter(sql, 'blue');
    const write = (resourceVersion: string) =>
      writer.put(pods, pod('web', { uid: 'u1', resourceVersion }));
    const since = async () => {
      const [row] = await sql`select mirrored_at as at from objects`;
      return Number(row?.['at']);
    };
    await write('1');
    const first = await since();
    await write('2');
    expect(await since()).toBe(first);
    await writer.remove(pods, 'u1');
    expect(await since()).toBe(first);
    await write('3');
    expect(await since()).toBeGreaterThan(first);
  });
});
