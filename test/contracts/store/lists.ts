import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { type Cursor, nowhere, type Term } from '#shared/domain/mirrored.ts';
import { noise } from '#test/support/noise.ts';
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
  const unmarked = async (by: Term, generation: number, max = 10) =>
    (await committed(store, by, (each) => each.unmarked({ generation, max }))).rows;

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
        seen.push(...page.rows.map(({ uid }) => uid));
        if (page.isLast) break;
      }
      expect(seen).toEqual(['0', 'B', 'a-1', 'a1', 'a_1', 'ab', 'b-2']);
      const versions = await committed(store, term, (each) =>
        each.versions({ after: 'B', max: 2 }),
      );
      expect(versions.map(({ uid }) => uid)).toEqual(['a-1', 'a1']);
    });

    it.each<[string, number, readonly boolean[]]>([
      ['nobody', 0, [true]],
      ['fewer than asked for', 1, [true]],
      ['as many as asked for, behind which others may be', 2, [false, true]],
    ])('says of a page of %s whether it is the last one', async (_, count, expected) => {
      await write(term, ...Array.from({ length: count }, (_, at): [string] => [`u${at}`]));
      const told: boolean[] = [];
      for (let after = ''; told.at(-1) !== true; ) {
        const page = await committed(store, term, (each) => each.page({ after, max: 2 }));
        after = page.rows.at(-1)?.uid ?? after;
        told.push(page.isLast);
      }
      expect(told).toEqual(expected);
    });

    it('counts what no list had, up to so many', async () => {
      await write(term, ['a'], ['b'], ['c'], ['d', { generation: 2 }]);
      const count = (max: number) =>
        committed(store, term, (each) => each.countUnmarked({ generation: 2, max }));
      expect([await count(2), await count(9)]).toEqual([2, 3]);
    });

    it('tells of any number of rows whose they are and in which state, without what they hold', async () => {
      await write(term, ['a', { resourceVersion: '7', epoch: 3 }], ['b', { isDeleted: true }]);
      const [living, both] = await committed(store, term, async (each) => [
        await each.versions({ after: '', max: 9 }),
        await each.versionsOf(['b', 'a', 'nobody']),
      ]);
      const { object: _, generation: __, keys: ___, ...a } = rowOf('a');
      const known = { ...a, resourceVersion: '7', epoch: 3 };
      expect(living).toEqual([known]);
      expect(both?.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))).toEqual([
        known,
        { ...a, uid: 'b', name: 'name-of-b', isDeleted: true },
      ]);
    });
  });

  describe('rows of big bodies', () => {
    const uids = Array.from({ length: 8 }, (_, at) => `u${at}`);
    const object = { spec: { text: noise(75_000) } };
    const writeBig = () =>
      write(term, ...uids.map((uid): Parameters<typeof rowOf> => [uid, { object }]));

    it('come in pages that are cut, and going on misses none', async () => {
      await writeBig();
      const seen: (readonly string[])[] = [];
      for (let isLast = false; !isLast; ) {
        const after = seen.at(-1)?.at(-1) ?? '';
        const page = await committed(store, term, (each) => each.page({ after, max: 500 }));
        seen.push(page.rows.map(({ uid }) => uid));
        ({ isLast } = page);
      }
      expect(seen).toEqual([uids.slice(0, 4), uids.slice(4)]);
    });

    it('are found all together, each as it was', async () => {
      await writeBig();
      const names = [{ namespace: 'default', name: 'name-of-u7' }];
      const found = await committed(store, term, (each) =>
        each.find({ uids: uids.slice(0, 7), names }),
      );
      const objects = Object.fromEntries(found.map((row) => [row.uid, row.object]));
      expect(objects).toEqual(
        Object.fromEntries(uids.map((uid) => [uid, rowOf(uid, { object }).object])),
      );
    });

    it('come one by one where each fills a page', async () => {
      const huge = { spec: { text: noise(1_200_000) } };
      await write(term, ['a', { object: huge }], ['b', { object: huge }]);
      const page = await committed(store, term, (each) => each.page({ after: '', max: 500 }));
      expect([uidsOf(page.rows), page.isLast]).toEqual([['a'], false]);
    });

    it('are gone through also where no list had them, and counted all at once', async () => {
      await writeBig();
      const generation = 2;
      const seen: (readonly string[])[] = [];
      for (let isLast = false; !isLast; ) {
        await committed(store, term, async (each) => {
          const page = await each.unmarked({ generation, max: 500 });
          await each.mark(uidsOf(page.rows), generation);
          seen.push(uidsOf(page.rows));
          ({ isLast } = page);
        });
      }
      expect(seen).toEqual([uids.slice(0, 4), uids.slice(4)]);
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
          ...(await transaction.page({ after: '', max: 9 })).rows,
          ...(await transaction.versions({ after: '', max: 9 })),
          ...(await transaction.versionsOf(['a'])),
          ...(await transaction.unmarked({ generation: 9, max: 9 })).rows,
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
            ...(await transaction.unmarked({ generation: 50, max: 9 })).rows,
          ];
        });
        expect(seen).toEqual([]);
        const next = await termOf(store, 'pods/team-a?metadata.name=web');
        expect(uidsOf(await unmarked(next, 1))).toEqual(['a']);
      },
    );

    it('begin again with a list and a higher number when they are followed again', async () => {
      const other = await termOf(store, 'pods/team-a', 'one');
      await stage.retire('pods/team-a');
      expect(await store.claim('pods/team-a', 'one', leaseMs)).toMatchObject({
        term: { number: other.number + 1 },
        cursor: { at: 'listing' },
      });
    });
  });

  describe('a cluster', () => {
    it('is unknown at first', async () => {
      expect(await store.identity()).toBeUndefined();
    });

    it('begins with epoch 1', async () => {
      expect(await store.beginEpoch(term, { uid: 'u1', after: 0 })).toBe(1);
      expect(await store.identity()).toEqual({ uid: 'u1', epoch: 1 });
    });

    it('begins an epoch once, however many noticed', async () => {
      await store.beginEpoch(term, { uid: 'u1', after: 0 });
      const begun = await Promise.all(
        [1, 2, 3].map(() => stage.open().beginEpoch(term, { uid: 'u2', after: 1 })),
      );
      expect(begun.toSorted()).toEqual([2, undefined, undefined]);
      expect(await store.identity()).toEqual({ uid: 'u2', epoch: 2 });
    });

    it('is not begun a second time', async () => {
      await store.beginEpoch(term, { uid: 'u1', after: 0 });
      expect(await store.beginEpoch(term, { uid: 'u2', after: 0 })).toBeUndefined();
      expect(await store.identity()).toEqual({ uid: 'u1', epoch: 1 });
    });

    it('does not go on from an epoch that it never had', async () => {
      expect(await store.beginEpoch(term, { uid: 'u1', after: 3 })).toBeUndefined();
    });

    it.each([
      ['to somebody else', 'two'],
      ['and has begun another one itself', 'one'],
    ])('begins no epoch by whoever lost the term meanwhile, %s', async (_, next) => {
      await store.beginEpoch(term, { uid: 'u1', after: 0 });
      await stage.lapse('pods');
      await termOf(stage.open(), 'pods', next);
      expect(await store.beginEpoch(term, { uid: 'u2', after: 1 })).toBe('fenced');
      expect(await store.identity()).toEqual({ uid: 'u1', epoch: 1 });
    });

    it('is not even begun by whoever gave the term back', async () => {
      await store.release(term);
      expect(await store.beginEpoch(term, { uid: 'u1', after: 0 })).toBe('fenced');
      expect(await store.identity()).toBeUndefined();
    });

    it('begins an epoch by whoever has another scope’s term, its lease run out as long as nobody took it', async () => {
      await store.beginEpoch(term, { uid: 'u1', after: 0 });
      const other = await termOf(store, 'nodes');
      await stage.lapse('nodes');
      expect(await store.beginEpoch(other, { uid: 'u2', after: 1 })).toBe(2);
    });

    it('has an epoch of its own', async () => {
      await store.beginEpoch(term, { uid: 'u1', after: 0 });
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
      expect(await store.wokenBefore()).toEqual(['f']);
      expect(await stage.open('other').wokenBefore()).toEqual([]);
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
