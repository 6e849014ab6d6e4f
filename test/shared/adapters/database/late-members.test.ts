import type { Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followedFrom } from '#events/forwarder/followed.ts';
import type { SetAffected } from '#events/kinds.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { membersOf } from '#shared/adapters/database/members.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Watching } from '#shared/domain/watched.ts';
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
  /** Of pods nothing is read until they are let in. */
  async function world() {
    const { promise: letIn, resolve } = Promise.withResolvers<void>();
    const held = { isHeld: false };
    const late = (watching: Watching): Watching => ({
      ...watching,
      async next(beforeReading) {
        const lines = await watching.next(beforeReading);
        if (held.isHeld) await letIn;
        return lines;
      },
    });
    const sent: Outgoing[] = [];
    const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
    const store = storeOn<Outgoing>(sql, { cluster: 'default', sender: () => ({ send }) });
    const at = await forwarding({
      store,
      streamOver: (stream) => ({
        ...stream,
        async watch(scope, options) {
          const opened = await stream.watch(scope, options);
          const isLate = scope.kind.resource === 'pods' && opened.kind === 'open';
          return isLate ? late(opened) : opened;
        },
      }),
    });
    return { ...at, sent, held, letIn: resolve };
  }

  it('wakes whoever was there when it happened, and nobody twice', async () => {
    const at = await world();
    const { objects } = at.cluster;
    objects.create(namespaces, {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: 'team-a' },
    });
    objects.create(pods, pod('old'));
    const watch = { of: namespaces, changed: ['/metadata/labels'], wakes: { all: pods } } as const;
    const one = await at.start([]);
    await one.followAll(followedFrom([subscribed(watch)], [{ kind: pods }]));
    await until('both', () => one.kinds().filter((kind) => kind === 'watching').length === 2);
    await sql`update objects set mirrored_at = now() - interval '1 hour'`;
    at.sent.length = 0;
    at.held.isHeld = true;
    objects.create(pods, pod('late'));
    objects.patch(namespaces, { name: 'team-a' }, { metadata: { labels: { team: 'a' } } });
    await until('the set', () => at.sent.length > 0);

    const first = await worked(JSON.parse(at.sent[0]?.body ?? ''));
    expect([first.kind, first.names]).toEqual(['done', ['old']]);
    const { again = expect.unreachable() } = first.look ?? {};
    // As if all of it had been two minutes ago.
    const due = {
      ...(first.look ?? expect.unreachable()),
      again: { since: again.since - 120_000 },
    };
    await sql`update watches set updated_at = now() - interval '3 minutes'`;
    expect(await worked(due)).toMatchObject({ kind: 'retry', names: [] });

    at.letIn();
    const rowOf = (name: string) => sql`select from objects where name = ${name}`;
    await until('the pod', async () => (await rowOf('late')).length > 0);
    expect(await worked(due)).toEqual({ kind: 'done', names: ['late'], look: undefined });
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
    const minutesLater = { since: (first.look?.again?.since ?? 0) - 120_000 };
    const last = await worked({ ...set, again: minutesLater });
    expect(last).toEqual({ kind: 'done', names: [], look: undefined });
    await at.close();
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
