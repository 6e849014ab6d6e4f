import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { mostBytes } from '#events/forwarder/seen.ts';
import { LeftUnread, type Row, rowIn, type Term } from '#shared/domain/mirrored.ts';
import {
  committed,
  findUids,
  longText,
  message,
  rowOf,
  type StoreStage,
  termOf,
  uidsOf,
} from './stage.ts';

export function rowContract(open: () => Promise<StoreStage>): void {
  describe('rows', () => {
    let stage: StoreStage;
    let store: Store;
    let term: Term;
    beforeEach(async () => {
      stage = await open();
      store = stage.open();
      term = await termOf(store, 'pods');
    });
    const write = (...rows: Parameters<typeof rowOf>[]) =>
      committed(store, term, (transaction) =>
        transaction.write(rows.map((stated) => rowOf(...stated))),
      );

    it('gives a row back as it was written', async () => {
      const stated = { labels: { app: 'web' }, keys: ['by-image=a', 'by-image=b'], epoch: 4 };
      await write(['a', stated]);
      expect(await findUids(store, term, ['a'])).toEqual([rowOf('a', stated)]);
    });

    it.each([
      ['a NUL', 'before\0after'],
      ['half a character', 'a\ud800b'],
      ['quotes, braces and backslashes', '{"a\\",}\\\\"\n\t'],
      ['letters of other scripts', 'čšž 🜚 日本'],
    ])('keeps %s in an object', async (_, text) => {
      const object = { spec: { text, [text]: 1 } };
      await write(['a', { object }]);
      const [row] = await findUids(store, term, ['a']);
      expect(row?.object['spec']).toEqual(object.spec);
    });

    it.each([
      ['a NUL', 'before\0after'],
      ['half a character', 'a\ud800b'],
      ['10,000 letters', longText],
      ['quotes and backslashes', '"\\"},{'],
    ])('is not stopped by %s in labels and keys', async (_, text) => {
      await write(['a', { labels: { [text]: text }, keys: [text] }]);
      expect(await findUids(store, term, ['a'])).toHaveLength(1);
    });

    it('takes the longest name and uid that anybody keeps', async () => {
      const uid = longText.slice(0, mostBytes.uid);
      const name = longText.slice(0, mostBytes.place - 'default/'.length);
      await write([uid, { name }]);
      expect(await findUids(store, term, [uid])).toMatchObject([{ uid, name }]);
    });

    it('keeps managed fields and the last applied configuration of nobody', async () => {
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' };
      const { metadata } = rowOf('a').object;
      const heavy = { ...metadata, annotations, managedFields: [{ manager: 'kubectl' }] };
      await write(['a', { object: { metadata: heavy } }]);
      const [row] = await findUids(store, term, ['a']);
      expect(row?.object.metadata).toEqual({ ...metadata, annotations: { kept: 'yes' } });
    });

    it('replaces a row by its uid', async () => {
      await write(['a', { resourceVersion: '1' }]);
      await write(['a', { resourceVersion: '2', labels: { app: 'new' } }]);
      expect(await findUids(store, term, ['a'])).toEqual([
        rowOf('a', { resourceVersion: '2', labels: { app: 'new' } }),
      ]);
    });

    it('finds a live row by its name', async () => {
      await write(['a', { name: 'web' }], ['b', { name: 'web', namespace: 'other' }]);
      const names = [{ namespace: 'other', name: 'web' }];
      const found = await committed(store, term, ({ find }) => find({ uids: [], names }));
      expect(uidsOf(found)).toEqual(['b']);
    });

    it('finds a row once that is asked for by uid and by name', async () => {
      await write(['a', { name: 'web' }]);
      const names = [{ namespace: 'default', name: 'web' }];
      const found = await committed(store, term, ({ find }) => find({ uids: ['a'], names }));
      expect(uidsOf(found)).toEqual(['a']);
    });

    it('leaves objects unread that nobody asks for, and says so to whoever does after all', async () => {
      const stated = { resourceVersion: '7', epoch: 4, keys: ['by-image=a'] };
      await write(['a', { ...stated, name: 'web' }], ['b', { ...stated, isDeleted: true }]);
      const names = [{ namespace: 'default', name: 'web' }];
      const found = await committed(store, term, ({ find }) =>
        find({ uids: ['b'], names, withoutObjects: true }),
      );
      expect(found.map(stateOf).toSorted(byUid)).toEqual(
        [rowOf('a', { ...stated, name: 'web' }), rowOf('b', { ...stated, isDeleted: true })].map(
          stateOf,
        ),
      );
      for (const row of found) expect(() => row.object).toThrow(LeftUnread);
    });

    it('reads the objects of whoever asks for them, beside others who do not', async () => {
      await write(['a']);
      const [unread, read] = await committed(store, term, ({ find }) =>
        Promise.all(
          [true, false].map((withoutObjects) => find({ uids: ['a'], names: [], withoutObjects })),
        ),
      );
      expect(read?.map(({ object }) => object)).toEqual([rowOf('a').object]);
      expect(() => unread?.[0]?.object).toThrow(LeftUnread);
    });

    it('writes nothing of a row whose object was left unread', async () => {
      await write(['a', { resourceVersion: '1' }]);
      const bury = committed(store, term, async ({ find, write: put }) => {
        const [row] = await find({ uids: ['a'], names: [], withoutObjects: true });
        if (row !== undefined) await put([rowIn(row, { isDeleted: true })]);
      });
      await expect(bury).rejects.toThrow(LeftUnread);
      expect(await findUids(store, term, ['a'])).toEqual([rowOf('a', { resourceVersion: '1' })]);
    });

    it('finds nothing where nothing is asked for', async () => {
      await write(['a']);
      expect(await committed(store, term, ({ find }) => find({ uids: [], names: [] }))).toEqual([]);
    });

    it('shows a transaction what it wrote itself', async () => {
      const found = await committed(store, term, async (transaction) => {
        await transaction.write([rowOf('a')]);
        return transaction.find({ uids: ['a'], names: [] });
      });
      expect(uidsOf(found)).toEqual(['a']);
    });

    it('lets the later of two writes stand that go out at once', async () => {
      await committed(store, term, ({ write: put }) =>
        Promise.all(['1', '2'].map((version) => put([rowOf('a', { resourceVersion: version })]))),
      );
      expect(await findUids(store, term, ['a'])).toMatchObject([{ resourceVersion: '2' }]);
    });

    it('finds a tombstone by its uid with its last labels', async () => {
      await write(['a', { labels: { app: 'web' } }]);
      await write(['a', { labels: { app: 'web' }, isDeleted: true }]);
      const [row] = await findUids(store, term, ['a']);
      expect(row).toMatchObject({
        isDeleted: true,
        object: { metadata: { labels: { app: 'web' } } },
      });
    });

    it('finds no tombstone by its name', async () => {
      await write(['a', { name: 'web', isDeleted: true }]);
      const names = [{ namespace: 'default', name: 'web' }];
      expect(await committed(store, term, ({ find }) => find({ uids: [], names }))).toEqual([]);
    });

    it('takes the end of the old and the beginning of the new under one name in one write', async () => {
      await write(['old', { name: 'web' }]);
      await write(['new', { name: 'web' }], ['old', { name: 'web', isDeleted: true }]);
      const found = await findUids(store, term, ['old', 'new']);
      expect(found.map(({ uid, isDeleted }) => [uid, isDeleted])).toEqual([
        ['new', false],
        ['old', true],
      ]);
    });

    it('buries who lived under a name whose end nobody told', async () => {
      await write(['old', { name: 'web' }]);
      await write(['new', { name: 'web' }]);
      const found = await findUids(store, term, ['old', 'new']);
      expect(found.map(({ isDeleted }) => isDeleted)).toEqual([false, true]);
    });

    it('lets the last of two live under one name of one write', async () => {
      await write(['x', { name: 'web' }], ['y', { name: 'web' }]);
      const found = await findUids(store, term, ['x', 'y']);
      expect(found.map(({ isDeleted }) => isDeleted)).toEqual([true, false]);
    });

    it('takes the last of two rows of one uid in one write', async () => {
      await write(['a', { resourceVersion: '1' }], ['a', { resourceVersion: '2' }]);
      const [row] = await findUids(store, term, ['a']);
      expect(row?.resourceVersion).toBe('2');
    });

    it('writes nothing where there is nothing to write', async () => {
      await write();
      expect(await findUids(store, term, ['a'])).toEqual([]);
    });

    it('forgets a live row without a tombstone', async () => {
      await write(['a'], ['b']);
      await committed(store, term, ({ forget }) => forget(['a', 'nobody']));
      expect(uidsOf(await findUids(store, term, ['a', 'b']))).toEqual(['b']);
    });

    it('forgets no tombstone', async () => {
      await write(['a', { isDeleted: true }]);
      await committed(store, term, ({ forget }) => forget(['a']));
      expect(await findUids(store, term, ['a'])).toHaveLength(1);
    });

    it('writes rows, cursor and messages together', async () => {
      await committed(store, term, async (transaction) => {
        await transaction.write([rowOf('a')]);
        await transaction.send([message('woken')]);
      });
      expect([await stage.sent(), uidsOf(await findUids(store, term, ['a']))]).toEqual([
        ['woken'],
        ['a'],
      ]);
    });

    it('leaves nothing behind of work that throws', async () => {
      const cursor = { epoch: 1, generation: 9, at: 'listing' } as const;
      const failing = store.transact(term, async (transaction) => {
        await transaction.write([rowOf('a')]);
        await transaction.send([message('woken')]);
        await transaction.setCursor(cursor);
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      await store.release(term);
      const claimed = await store.claim('pods', 'two', 1_000);
      expect([await stage.sent(), claimed?.cursor.generation]).toEqual([[], 0]);
    });

    it('goes on after work that threw', async () => {
      await expect(store.transact(term, () => Promise.reject(new Error('no')))).rejects.toThrow();
      await write(['a']);
      expect(await findUids(store, term, ['a'])).toHaveLength(1);
    });
  });
}

function stateOf({
  uid,
  namespace,
  name,
  resourceVersion,
  epoch,
  generation,
  isDeleted,
  keys,
}: Row) {
  return { uid, namespace, name, resourceVersion, epoch, generation, isDeleted, keys };
}

function byUid(one: { readonly uid: string }, other: { readonly uid: string }): number {
  return one.uid < other.uid ? -1 : 1;
}
