import { setImmediate as allThatCanRun } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { type Point, storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import {
  committed,
  findUids,
  leaseMs,
  message,
  rowOf,
  termOf,
} from '#test/contracts/store/stage.ts';

const later = Promise.withResolvers<never>().promise;

describe('the store in memory', () => {
  let shelf: ReturnType<typeof mirrorShelf>;
  let queue: ReturnType<typeof queueInMemory>;
  let nowMs: number;
  beforeEach(() => {
    shelf = mirrorShelf();
    nowMs = 1_000;
    queue = queueInMemory({ now: () => nowMs, after: () => () => undefined });
  });
  const open = (at?: (point: Point) => void | Promise<void>) =>
    storeInMemory({ shelf, cluster: 'main', now: () => nowMs, open: queue.open, at });
  const failing = (wanted: Point) => (point: Point) => {
    if (point === wanted) throw new Error(`fails at ${wanted}`);
  };
  const change = (store: ReturnType<typeof open>, term: Term) =>
    committed(store, term, async (transaction) => {
      await transaction.write([rowOf('a')]);
      await transaction.send([message('woken')]);
    });
  const happened = async () => {
    const { object } = await mirrorInMemory({ shelf }).findByUid(pods, 'a');
    const waiting = await queue.peek('look', 9);
    return [object !== undefined, waiting.length];
  };

  it.each<Point>(['begin', 'locked', 'write', 'send', 'commit'])(
    'leaves nothing behind of a transaction that fails at %s',
    async (point) => {
      const term = await termOf(open(), 'pods');
      await expect(change(open(failing(point)), term)).rejects.toThrow(`fails at ${point}`);
      expect(await happened()).toEqual([false, 0]);
      await change(open(), term);
      expect(await happened()).toEqual([true, 1]);
    },
  );

  it('has done all of a transaction whose answer is lost', async () => {
    const term = await termOf(open(), 'pods');
    await expect(change(open(failing('committed')), term)).rejects.toThrow('fails at committed');
    expect(await happened()).toEqual([true, 1]);
  });

  it('shows nothing of a transaction before its end', async () => {
    const term = await termOf(open(), 'pods');
    await committed(open(), term, async (transaction) => {
      await transaction.write([rowOf('a')]);
      await transaction.send([message('woken')]);
      expect(await happened()).toEqual([false, 0]);
    });
    expect(await happened()).toEqual([true, 1]);
  });

  it('gives back what a process held that died in a transaction', async () => {
    const term = await termOf(open(), 'pods', 'one');
    const dying = open((point) => (point === 'commit' ? later : undefined));
    void change(dying, term).catch(() => undefined);
    await allThatCanRun();
    nowMs += leaseMs;
    const taking = open().claim('pods', 'two', leaseMs);
    dying.disconnect();
    expect(await taking).toMatchObject({ term: { number: 2 } });
    expect(await happened()).toEqual([false, 0]);
  });

  it('lets nobody wait for a process that died while it waited', async () => {
    const term = await termOf(open(), 'pods', 'one');
    const end = Promise.withResolvers<void>();
    const holding = committed(open(), term, () => end.promise);
    const dying = open();
    const waiting = change(dying, term);
    await allThatCanRun();
    dying.disconnect();
    end.resolve();
    await holding;
    await expect(waiting).rejects.toThrow('gone');
    await change(open(), term);
    expect(await happened()).toEqual([true, 1]);
  });

  it('fails what a process goes on with after its connection is gone', async () => {
    const term = await termOf(open(), 'pods', 'one');
    const store = open();
    const writing = committed(store, term, async (transaction) => {
      store.disconnect();
      await transaction.write([rowOf('a')]);
    });
    await expect(writing).rejects.toThrow('gone');
    expect(await happened()).toEqual([false, 0]);
  });

  it('fences a paused writer that wakes up', async () => {
    const woken = Promise.withResolvers<void>();
    const term = await termOf(open(), 'pods', 'one');
    const paused = open((point) => (point === 'begin' ? woken.promise : undefined));
    const writing = paused.transact(term, ({ write }) => write([rowOf('a')]));
    nowMs += leaseMs;
    await termOf(open(), 'pods', 'two');
    woken.resolve();
    expect(await writing).toEqual({ kind: 'fenced' });
    expect(await happened()).toEqual([false, 0]);
  });

  it('shows a mirror what a store has written', async () => {
    const term = await termOf(open(), 'pods');
    await change(open(), term);
    expect(await findUids(open(), term, ['a'])).toHaveLength(1);
    expect(await happened()).toEqual([true, 1]);
  });
});
