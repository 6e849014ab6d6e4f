import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { type Cursor, nowhere, type Term } from '#shared/domain/mirrored.ts';
import { committed, findUids, leaseMs, rowOf, type StoreStage, termOf, uidsOf } from './stage.ts';

export function listContract(open: () => Promise<StoreStage>): void {
  let stage: StoreStage;
  let store: Store;
  let term: Term;
  beforeEach(async () => {
    stage = await open();
    store = stage.open();
    term = await termOf(store, 'pods');
  });
  const write = (by: Term, ...rows: Parameters<typeof rowOf>[]) =>
    committed(store, by, (transaction) =>
      transaction.write(rows.map((stated) => rowOf(...stated))),
    );
  const unmarked = (by: Term, generation: number, max = 10) =>
    committed(store, by, (transaction) => transaction.unmarked({ generation, max }));

  describe('a list', () => {
    it.each<[string, Cursor]>([
      ['at nowhere', nowhere],
      ['in a list', { epoch: 2, generation: 5, at: 'listing' }],
      ['at a version', { epoch: 1, generation: 5, at: { resourceVersion: '00012' } }],
    ])('keeps a cursor %s', async (_, cursor) => {
      await committed(store, term, ({ setCursor }) =>
        setCursor({ epoch: 3, generation: 4, at: { resourceVersion: '7' } }),
      );
      await committed(store, term, ({ setCursor }) => setCursor(cursor));
      expect((await store.claim('pods', 'one', leaseMs))?.cursor).toEqual(cursor);
    });

    it('leaves the cursor where it is when a transaction does not set it', async () => {
      const cursor = { epoch: 1, generation: 1, at: { resourceVersion: '5' } } as const;
      await committed(store, term, ({ setCursor }) => setCursor(cursor));
      await write(term, ['a']);
      expect((await store.claim('pods', 'one', leaseMs))?.cursor).toEqual(cursor);
    });

    it('shows the live rows that only an older list had', async () => {
      await write(term, ['a', { generation: 1 }], ['b', { generation: 2 }]);
      await write(term, ['c', { generation: 1, isDeleted: true }]);
      expect(uidsOf(await unmarked(term, 2))).toEqual(['a']);
    });

    it('shows no more of them than asked for', async () => {
      await write(term, ['a'], ['b'], ['c']);
      expect(await unmarked(term, 2, 2)).toHaveLength(2);
    });

    it('marks rows as they are', async () => {
      await write(term, ['a', { labels: { app: 'web' } }], ['b']);
      await committed(store, term, ({ mark }) => mark(['a', 'nobody'], 2));
      expect(await findUids(store, term, ['a'])).toEqual([
        rowOf('a', { generation: 2, labels: { app: 'web' } }),
      ]);
      expect(uidsOf(await unmarked(term, 2))).toEqual(['b']);
    });

    it('goes through the live rows in the order of their uids, page by page', async () => {
      const uids = ['b-2', 'B', 'a_1', 'a-1', 'a1', '0', 'ab'];
      await write(term, ...uids.map((uid): [string] => [uid]));
      await write(term, ['a0', { isDeleted: true }]);
      const seen: string[] = [];
      for (;;) {
        const after = seen.at(-1) ?? '';
        const page = await committed(store, term, (each) => each.page({ after, max: 3 }));
        if (page.length === 0) break;
        seen.push(...page.map(({ uid }) => uid));
      }
      expect(seen).toEqual(['0', 'B', 'a-1', 'a1', 'a_1', 'ab', 'b-2']);
    });
  });

  describe('others', () => {
    it.each([
      ['another scope of the kind', 'pods/team-b', 'pods/team-a'],
      ['another kind', 'pods', 'nodes'],
      ['a kind of another group', 'pods', 'pods.metrics.k8s.io'],
    ])('have rows that %s neither sees nor touches', async (_, own, scope) => {
      const term = await termOf(store, own);
      await write(term, ['a', { name: 'web' }]);
      const other = await termOf(store, scope);
      const seen = await committed(store, other, async (transaction) => {
        await transaction.forget(['a']);
        await transaction.mark(['a'], 7);
        const names = [{ namespace: 'default', name: 'web' }];
        return [
          ...(await transaction.find({ uids: ['a'], names })),
          ...(await transaction.page({ after: '', max: 9 })),
          ...(await transaction.unmarked({ generation: 9, max: 9 })),
        ];
      });
      expect(seen).toEqual([]);
      expect(await findUids(store, term, ['a'])).toEqual([rowOf('a', { name: 'web' })]);
    });

    it('have rows that the same scope of another cluster neither sees nor touches', async () => {
      await write(term, ['a']);
      const elsewhere = stage.open('other');
      const other = await termOf(elsewhere, 'pods');
      await committed(elsewhere, other, ({ write: put }) => put([rowOf('a', { isDeleted: true })]));
      expect(await findUids(store, term, ['a'])).toEqual([rowOf('a')]);
    });

    it('leave what they mirrored to whoever follows its place, when nobody follows them any more', async () => {
      const stated = { namespace: 'team-b', generation: 40 };
      await write(term, ['a', stated], ['b', stated]);
      await stage.retire('pods');
      term = await termOf(store, 'pods/team-b');
      const found = await findUids(store, term, ['a']);
      expect(found.map(({ uid, isInherited }) => [uid, isInherited])).toEqual([['a', true]]);
      await committed(store, term, ({ mark }) => mark(['a'], 1));
      expect(uidsOf(await unmarked(term, 1))).toEqual(['b']);
      await committed(store, term, ({ forget }) => forget(['b']));
      const left = await findUids(store, term, ['a', 'b']);
      expect(left.map(({ isInherited = false }) => isInherited)).toEqual([false]);
    });

    it.each(['pods/team-b', 'pods/team-a?metadata.name=other'])(
      'leave to %s nothing that is outside of its place',
      async (narrow) => {
        const at = { namespace: 'team-a', name: 'web' };
        await write(term, ['a', { ...at, generation: 40 }]);
        await stage.retire('pods');
        const other = await termOf(store, narrow);
        const seen = await committed(store, other, async (transaction) => {
          await transaction.forget(['a']);
          await transaction.mark(['a'], 1);
          return [
            ...(await transaction.find({ uids: ['a'], names: [at] })),
            ...(await transaction.unmarked({ generation: 50, max: 9 })),
          ];
        });
        expect(seen).toEqual([]);
        const next = await termOf(store, 'pods/team-a?metadata.name=web');
        expect(uidsOf(await unmarked(next, 1))).toEqual(['a']);
      },
    );

    it('begin again at nowhere and with a higher number when they are followed again', async () => {
      const other = await termOf(store, 'pods/team-a', 'one');
      await stage.retire('pods/team-a');
      expect(await store.claim('pods/team-a', 'one', leaseMs)).toMatchObject({
        term: { number: other.number + 1 },
        cursor: { at: 'nowhere' },
      });
    });
  });

  describe('a cluster', () => {
    it('is unknown at first', async () => {
      expect(await store.identity()).toBeUndefined();
    });

    it('begins with epoch 1', async () => {
      expect(await store.beginEpoch({ uid: 'u1', after: 0 })).toBe(1);
      expect(await store.identity()).toEqual({ uid: 'u1', epoch: 1 });
    });

    it('begins an epoch once, however many noticed', async () => {
      await store.beginEpoch({ uid: 'u1', after: 0 });
      const begun = await Promise.all(
        [1, 2, 3].map(() => stage.open().beginEpoch({ uid: 'u2', after: 1 })),
      );
      expect(begun.toSorted()).toEqual([2, undefined, undefined]);
      expect(await store.identity()).toEqual({ uid: 'u2', epoch: 2 });
    });

    it('is not begun a second time', async () => {
      await store.beginEpoch({ uid: 'u1', after: 0 });
      expect(await store.beginEpoch({ uid: 'u2', after: 0 })).toBeUndefined();
      expect(await store.identity()).toEqual({ uid: 'u1', epoch: 1 });
    });

    it('does not go on from an epoch that it never had', async () => {
      expect(await store.beginEpoch({ uid: 'u1', after: 3 })).toBeUndefined();
    });

    it('has an epoch of its own', async () => {
      await store.beginEpoch({ uid: 'u1', after: 0 });
      expect(await stage.open('other').identity()).toBeUndefined();
    });
  });

  describe('a backfill', () => {
    const backfill = { function: 'f', fingerprint: 'x', after: 'u1', isDone: false } as const;

    it('is kept for its function and scope', async () => {
      await committed(store, term, ({ setBackfill }) => setBackfill(backfill));
      expect(await store.backfills('pods')).toEqual([backfill]);
      expect(await store.backfills('nodes')).toEqual([]);
      expect(await stage.open('other').backfills('pods')).toEqual([]);
    });

    it('is replaced by its next step', async () => {
      const next = { ...backfill, fingerprint: 'y', after: '', isDone: true };
      await committed(store, term, ({ setBackfill }) => setBackfill(backfill));
      await committed(store, term, ({ setBackfill }) => setBackfill(next));
      expect(await store.backfills('pods')).toEqual([next]);
    });

    it('goes with the transaction that made it', async () => {
      const failing = store.transact(term, async ({ setBackfill }) => {
        await setBackfill(backfill);
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await store.backfills('pods')).toEqual([]);
    });
  });
}
