import { describe, expect, it } from 'vitest';
import { heal } from '#events/forwarder/healing.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import type { Outgoing } from '#events/queue.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import { subscribed } from '#test/support/forwarding.ts';
import { pod, row } from './builders.ts';

const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } };
const suspect = { namespace: 'team-a', name: 'web', resourceVersion: '1' };

type Found = Awaited<ReturnType<Stream['find']>>;

/** The mirror has `u1` under the name, which an audit's list did not show; the server has this there. */
async function healed(found: Found) {
  const shelf = mirrorShelf();
  const sent: Outgoing[] = [];
  const open = () => ({
    send: async (messages: readonly Outgoing[]) => void sent.push(...messages),
    commit: () => undefined,
    rollback: () => undefined,
  });
  const store = storeInMemory({ shelf, cluster: 'default', now: Date.now, open });
  const claimed = await store.claim('pods', 'one', 60_000);
  if (claimed === undefined) throw new Error('it is not ours');
  await store.transact(claimed.term, (transaction) => transaction.write([row()]));
  const writer = {
    world: {
      ...{ cluster: 'default', store, stream: { find: async () => found } },
      tell: () => undefined,
    },
    ...{ term: claimed.term, memory: { ahead: '' }, signal: new AbortController().signal },
    followed: { scope: { kind: pods }, subscriptions: [subscribed({ of: pods })] },
  } as unknown as Writer;
  const ending = await heal('u1', { at: suspect, cursor }, writer);
  const isDeleted = [...shelf.rows.values()].map((each) => each.row.isDeleted);
  return { ending, isDeleted, told: sent.map(({ body }) => JSON.parse(body)) };
}

describe('a row that an audit did not find at the server', () => {
  it.each<[string, Found]>([
    ['nobody', { kind: 'none' }],
    ['another one', { kind: 'found', object: pod({ uid: 'u2', version: 5 }) }],
  ])('ends where %s is under its name by now', async (_, found) => {
    const { ending, isDeleted, told } = await healed(found);
    expect([ending, isDeleted]).toEqual(['healed', [true]]);
    expect(told).toMatchObject([{ uid: 'u1', deleted: true }]);
  });

  it.each<[string, Found]>([
    ['is too large to be read', { kind: 'oversized' }],
    ['is not shown', { kind: 'forbidden', why: 'HTTP 403' }],
  ])('stays where what is there %s', async (_, found) => {
    const { ending, isDeleted, told } = await healed(found);
    expect([ending, isDeleted, told]).toEqual(['left', [false], []]);
  });
});
