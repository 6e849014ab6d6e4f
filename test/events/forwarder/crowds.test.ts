import { describe, expect, it } from 'vitest';
import { awaitKind } from '#events/forwarder/absent.ts';
import { isWoken, wakeExisting } from '#events/forwarder/backfilling.ts';
import { listAll } from '#events/forwarder/listing.ts';
import { versionRecord } from '#events/forwarder/reshaping.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import type { Outgoing } from '#events/queue.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { type Point, storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Watch } from '#shared/domain/watch.ts';
import type { Listed } from '#shared/domain/watched.ts';
import { subscribed } from '#test/support/forwarding.ts';
import { pod, row } from './builders.ts';

/** More than two pages of everything that is gone through in pages. */
const crowd = 1_100;
const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } };
const nameOf = (at: number) => `pod-${String(at).padStart(4, '0')}`;

function page(next?: string): Listed {
  const objects = [pod({ name: 'new', uid: 'new' })];
  return { kind: 'page', objects, bytes: 100, resourceVersion: '10', continue: next };
}

/** A kind with a crowd of rows; `at` is asked before each operation of the database. */
async function crowded(
  watch: Watch,
  at: (point: Point) => void = () => {},
  listed: readonly Listed[] = [page()],
) {
  const shelf = mirrorShelf();
  const sent: Outgoing[] = [];
  const open = () => {
    const own: Outgoing[] = [];
    const send = async (messages: readonly Outgoing[]) => void own.push(...messages);
    return { send, commit: () => void sent.push(...own), rollback: () => undefined };
  };
  const store = storeInMemory({ shelf, cluster: 'default', now: Date.now, open, at });
  const claimed = await store.claim('pods', 'one', 60_000);
  if (claimed === undefined) throw new Error('it is not ours');
  const { term } = claimed;
  await store.transact(term, async (transaction) => {
    const names = Array.from({ length: crowd }, (_, index) => nameOf(index));
    await transaction.write(names.map((name) => row({ name, uid: `uid-of-${name}` })));
    await transaction.setBackfill({
      function: versionRecord,
      fingerprint: 'v1',
      after: '',
      isDone: true,
    });
    await transaction.setCursor(cursor);
  });

  const pages = [...listed];
  const stream = {
    watch: async () => ({ kind: 'unsupported', why: 'an older server' }),
    list: async () => pages.shift() ?? { kind: 'absent', why: 'HTTP 404' },
    served: async () => undefined,
  };
  const ended = new AbortController();
  const world = {
    ...{ cluster: 'default', stream, store, holder: 'one', now: Date.now, random: () => 0 },
    pace: { watchSeconds: [300, 600], idleMs: 1, pageLimit: 250, batchLimit: 500, absentMs: 1 },
    pause: async () => ended.abort(),
    tell: () => {},
  };
  const memory = { served: undefined, pagesUntil: 0, failures: 0 };
  const writerFor = (wanted: Watch) =>
    ({
      ...{ world, term, memory, signal: ended.signal },
      followed: { scope: { kind: pods }, subscriptions: [subscribed(wanted)] },
    }) as unknown as Writer;
  const told = () =>
    sent.map(({ body }) => {
      const { name, deleted } = JSON.parse(body);
      return deleted === true ? `${name} gone` : String(name);
    });
  const living = () => [...shelf.rows.values()].filter(({ row: { isDeleted } }) => !isDeleted);
  return { writer: writerFor(watch), writerFor, store, told, living };
}

const everyone = Array.from({ length: crowd }, (_, index) => nameOf(index));
const gone = everyone.map((name) => `${name} gone`);
const stage = { kind: 'wake-existing', cursor } as const;

/** The database fails before the third page. */
function failingOnce(): (point: Point) => void {
  let pages = 0;
  return (point) => {
    if (point !== 'page') return;
    pages += 1;
    if (pages === 3) throw new Error('the database went away');
  };
}

describe('a function that is enabled where a crowd exists', () => {
  it('is woken for each once, also where the process ends in the middle', async () => {
    const { writer, store, told } = await crowded({ of: pods }, failingOnce());
    await expect(wakeExisting(stage, writer)).rejects.toThrow('went away');
    expect(told()).toHaveLength(1_000);
    expect(isWoken(await store.backfills('pods'), writer.followed)).toBe(false);

    expect(await wakeExisting(stage, writer)).toMatchObject({ kind: 'watch' });
    expect(told()).toEqual(everyone);
    expect(isWoken(await store.backfills('pods'), writer.followed)).toBe(true);
  });

  it('is woken for all anew where its trigger is another one after that', async () => {
    const { writer, writerFor, told } = await crowded({ of: pods }, failingOnce());
    await expect(wakeExisting(stage, writer)).rejects.toThrow('went away');
    await wakeExisting(stage, writerFor({ of: pods, on: ['deleted'] }));
    expect(told().slice(1_000)).toEqual(everyone);
  });

  it('finds each by an index that it declares', async () => {
    const indexes = { name: ({ metadata }: KubeObject) => [metadata.name ?? ''] };
    const { writer, living } = await crowded({ of: pods, indexes }, failingOnce());
    await expect(wakeExisting(stage, writer)).rejects.toThrow('went away');
    await wakeExisting(stage, writer);
    expect(
      living()
        .flatMap(({ row: { keys } }) => keys)
        .toSorted(),
    ).toEqual(everyone.map((name) => `name=${name}`));
  });
});

describe('the end of a crowd', () => {
  it('is told of each, where a list shows none of them', async () => {
    const { writer, told, living } = await crowded({ of: pods });
    const next = await listAll({ kind: 'list', cursor, why: 'a 410' }, writer);
    expect(next).toMatchObject({
      kind: 'wake-existing',
      cursor: { at: { resourceVersion: '10' } },
    });
    expect(told()).toEqual(['new', ...gone]);
    expect(living().map(({ row: { name } }) => name)).toEqual(['new']);
  });

  it('is told of each, where the kind goes away in the middle of its list', async () => {
    const { writer, told, living } = await crowded({ of: pods }, undefined, [page('more')]);
    const next = await listAll({ kind: 'list', cursor, why: 'a 410' }, writer);
    if (next.kind !== 'absent') throw new Error(`it goes on with ${next.kind}`);
    expect(told()).toEqual(['new']);
    await awaitKind(next, writer);
    expect(told().toSorted()).toEqual(['new', 'new gone', ...gone].toSorted());
    expect(living()).toEqual([]);
  });

  it('is told of each, where nobody serves the kind any more', async () => {
    const { writer, told, living } = await crowded({ of: pods });
    await awaitKind({ kind: 'absent', cursor, why: 'HTTP 404' }, writer);
    expect(told()).toEqual(gone);
    expect(living()).toEqual([]);
  });
});
