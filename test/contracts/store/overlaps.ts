import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { committed, findUids, leaseMs, rowOf, type StoreStage, termOf, uidsOf } from './stage.ts';

const watching = { epoch: 2, generation: 3, at: { resourceVersion: '99' } } as const;

/** Replicas of two configurations side by side: an object is never in two scopes that somebody writes. */
export function overlapContract(open: () => Promise<StoreStage>): void {
  describe('scopes that overlap', () => {
    let stage: StoreStage;
    let store: Store;
    beforeEach(async () => {
      stage = await open();
      store = stage.open();
    });
    const inTurn = (scope: string, holder: string) =>
      stage.open().claim(scope, holder, leaseMs, 'in-turn');
    const beforeOthers = (scope: string, holder: string) =>
      stage.open().claim(scope, holder, leaseMs, 'before-others');
    const write = (by: Awaited<ReturnType<typeof termOf>>, ...uids: string[]) =>
      committed(store, by, (transaction) => transaction.write(uids.map((uid) => rowOf(uid))));

    it.each([
      ['pods/team-a', 'pods'],
      ['pods', 'pods/team-a'],
      ['pods?app=web', 'pods?app=db'],
      ['secrets?metadata.name=ca&metadata', 'secrets/team-a?metadata'],
      ['pods?metadata', 'pods'],
    ])('wait for each other: %s is had, and %s is refused', async (had, asked) => {
      await termOf(store, had, 'one');
      expect(await inTurn(asked, 'two')).toBeUndefined();
    });

    it.each([
      ['pods/team-a', 'pods/team-b'],
      ['pods', 'pods.metrics.k8s.io'],
      ['secrets/team-a?metadata.name=ca&metadata', 'secrets/team-a?metadata.name=tls&metadata'],
    ])('do not mean %s and %s', async (had, other) => {
      const term = await termOf(store, had, 'one');
      expect(await beforeOthers(other, 'two')).toBeDefined();
      expect(await store.renew(term, leaseMs)).toBe(true);
    });

    it('do not mean those of another cluster', async () => {
      await termOf(store, 'pods/team-a', 'one');
      expect(await stage.open('other').claim('pods', 'two', leaseMs)).toBeDefined();
    });

    it('are given to one of many who ask for them at the same time', async () => {
      const scopes = [
        'pods',
        'pods/team-a',
        'pods?app=web',
        'pods/team-a?app=web',
        'pods?metadata',
      ];
      const claimed = await Promise.all(scopes.map((scope) => inTurn(scope, scope)));
      expect(claimed.filter((each) => each !== undefined)).toHaveLength(1);
    });

    it('are free when the lease of whoever had one runs out, and that one is fenced', async () => {
      const old = await termOf(store, 'pods/team-a', 'one');
      await stage.lapse('pods/team-a');
      expect(await inTurn('pods', 'two')).toBeDefined();
      expect(await store.renew(old, leaseMs)).toBe(false);
      expect(await store.transact(old, async () => 1)).toEqual({ kind: 'fenced' });
      expect(await inTurn('pods/team-a', 'one')).toBeUndefined();
    });

    it('are free after the clock was set back', async () => {
      await termOf(store, 'pods/team-a', 'one');
      await stage.setClockBack('pods/team-a');
      expect(await inTurn('pods', 'two')).toBeDefined();
    });

    it('are free after a release', async () => {
      await store.release(await termOf(store, 'pods/team-a', 'one'));
      expect(await inTurn('pods', 'two')).toBeDefined();
    });

    it('do not stop a process by what it had itself', async () => {
      const old = await termOf(store, 'pods/team-a', 'one');
      expect(await inTurn('pods', 'one')).toBeDefined();
      expect(await store.transact(old, async () => 1)).toEqual({ kind: 'fenced' });
    });

    it('go to whoever begins, and who had one is fenced and waits', async () => {
      const old = await termOf(store, 'pods/team-a', 'one');
      expect(await beforeOthers('pods', 'two')).toBeDefined();
      expect(await store.transact(old, async () => 1)).toEqual({ kind: 'fenced' });
      expect(await inTurn('pods/team-a', 'one')).toBeUndefined();
    });

    it('stay with their writer where whoever begins does not get its own scope', async () => {
      await termOf(store, 'pods', 'one');
      expect(await beforeOthers('pods', 'two')).toBeUndefined();
      expect(await inTurn('pods/team-a', 'three')).toBeUndefined();
    });

    it('are taken only after the transaction that has begun in one of them', async () => {
      const old = await termOf(store, 'pods/team-a', 'one');
      const events: string[] = [];
      const writing = committed(store, old, async (transaction) => {
        await transaction.find({ uids: ['a'], names: [] });
        const taking = beforeOthers('pods', 'two');
        void taking.then(() => events.push('taken'));
        await transaction.write([rowOf('a')]);
        await transaction.find({ uids: ['a'], names: [] });
        events.push('written');
        return { taking };
      });
      const claimed = await (await writing).taking;
      expect(events).toEqual(['written', 'taken']);
      if (claimed === undefined) throw new Error('refused');
      expect(uidsOf(await findUids(store, claimed.term, ['a']))).toEqual(['a']);
    });

    it('hand their rows over at once, to be compared with a list', async () => {
      await write(await termOf(store, 'pods/team-a', 'one'), 'a', 'b');
      const claimed = await beforeOthers('pods', 'two');
      if (claimed === undefined) throw new Error('refused');
      const unmarked = await committed(store, claimed.term, (each) =>
        each.unmarked({ generation: 1, max: 9 }),
      );
      expect(unmarked.rows.map(({ uid, epoch, isInherited }) => [uid, epoch, isInherited])).toEqual(
        [
          ['a', 1, true],
          ['b', 1, true],
        ],
      );
    });

    it('begin with a list when they come back, and so does whoever gets rows of others', async () => {
      const narrow = await termOf(store, 'pods/team-a', 'one');
      await committed(store, narrow, ({ setCursor }) => setCursor(watching));
      const wide = await beforeOthers('pods', 'two');
      if (wide === undefined) throw new Error('refused');
      await committed(store, wide.term, ({ setCursor }) => setCursor(watching));
      const again = await beforeOthers('pods/team-a', 'one');
      expect(again?.cursor).toEqual({ ...watching, at: 'listing' });
      expect((await beforeOthers('pods', 'two'))?.cursor).toEqual({ ...watching, at: 'listing' });
    });

    it('forget whom they woke for all that exists, once they are taken', async () => {
      const backfill = { function: 'f', fingerprint: 'x', after: '', isDone: true } as const;
      const narrow = await termOf(store, 'pods/team-a', 'one');
      await committed(store, narrow, ({ setBackfill }) => setBackfill(backfill));
      await beforeOthers('pods', 'two');
      expect(await store.backfills('pods/team-a')).toEqual([]);
    });
  });
}
