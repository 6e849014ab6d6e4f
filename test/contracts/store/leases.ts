import { beforeEach, describe, expect, it } from 'vitest';
import type { Store, Transaction } from '#events/forwarder/ports.ts';
import { nowhere } from '#shared/domain/mirrored.ts';
import { committed, findUids, leaseMs, message, rowOf, type StoreStage, termOf } from './stage.ts';

const watching = { epoch: 2, generation: 3, at: { resourceVersion: '99' } } as const;

export function leaseContract(open: () => Promise<StoreStage>): void {
  describe('leases', () => {
    let stage: StoreStage;
    let store: Store;
    beforeEach(async () => {
      stage = await open();
      store = stage.open();
    });

    it('gives a scope that nobody had with a cursor at nowhere', async () => {
      expect(await store.claim('pods', 'one', leaseMs)).toEqual({
        term: { scope: 'pods', holder: 'one', number: 1 },
        cursor: nowhere,
      });
    });

    it('keeps a scope from others while somebody has it', async () => {
      await termOf(store, 'pods', 'one');
      expect(await store.claim('pods', 'two', leaseMs)).toBeUndefined();
    });

    it('keeps the number of a holder that claims again within its lease', async () => {
      await termOf(store, 'pods', 'one');
      expect((await termOf(store, 'pods', 'one')).number).toBe(1);
    });

    it('counts the number up for another one after the lease', async () => {
      await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      expect(await termOf(store, 'pods', 'two')).toMatchObject({ holder: 'two', number: 2 });
    });

    it('counts the number up for the same one after the lease', async () => {
      await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      expect((await termOf(store, 'pods', 'one')).number).toBe(2);
    });

    it.each(['two', 'one'])(
      'counts the number up for %s after the clock was set back',
      async (next) => {
        await termOf(store, 'pods', 'one');
        await stage.setClockBack('pods');
        expect(await termOf(store, 'pods', next)).toMatchObject({ holder: next, number: 2 });
      },
    );

    it('holds a lease that was renewed since the clock was set back against others', async () => {
      const term = await termOf(store, 'pods', 'one');
      await stage.setClockBack('pods');
      expect(await store.renew(term, leaseMs)).toBe(true);
      expect(await store.claim('pods', 'two', leaseMs)).toBeUndefined();
    });

    it('gives one of two who claim at the same time the term', async () => {
      const claimed = await Promise.all(
        ['one', 'two', 'three'].map((holder) => stage.open().claim('pods', holder, leaseMs)),
      );
      expect(claimed.filter((each) => each !== undefined)).toHaveLength(1);
    });

    it('gives every scope by itself', async () => {
      await termOf(store, 'pods', 'one');
      expect(await termOf(store, 'nodes', 'two')).toMatchObject({ number: 1 });
    });

    it('gives every cluster by itself', async () => {
      await termOf(store, 'pods', 'one');
      expect(await termOf(stage.open('other'), 'pods', 'two')).toMatchObject({ number: 1 });
    });

    it('renews a term that is its holder’s', async () => {
      const term = await termOf(store, 'pods');
      expect(await store.renew(term, leaseMs)).toBe(true);
    });

    it('holds a renewed lease against others', async () => {
      const term = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      await store.renew(term, leaseMs);
      expect(await store.claim('pods', 'two', leaseMs)).toBeUndefined();
    });

    it('renews no term that somebody else has taken', async () => {
      const term = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      await termOf(store, 'pods', 'two');
      expect(await store.renew(term, leaseMs)).toBe(false);
    });

    it('renews no term that the same holder has begun anew', async () => {
      const term = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      await termOf(store, 'pods', 'one');
      expect(await store.renew(term, leaseMs)).toBe(false);
    });

    it('lets another one take over at once after a release', async () => {
      await store.release(await termOf(store, 'pods', 'one'));
      expect(await termOf(store, 'pods', 'two')).toMatchObject({ number: 2 });
    });

    it('releases nothing by a term that is over', async () => {
      const old = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      await termOf(store, 'pods', 'two');
      await store.release(old);
      expect(await store.claim('pods', 'three', leaseMs)).toBeUndefined();
    });

    it('hands the cursor on to who takes over', async () => {
      const term = await termOf(store, 'pods', 'one');
      await committed(store, term, ({ setCursor }) => setCursor(watching));
      await store.release(term);
      expect((await store.claim('pods', 'two', leaseMs))?.cursor).toEqual(watching);
    });
  });

  describe('fencing', () => {
    let stage: StoreStage;
    let store: Store;
    beforeEach(async () => {
      stage = await open();
      store = stage.open();
    });

    it.each<[string, (transaction: Transaction) => Promise<unknown>]>([
      ['what is there', ({ find }) => find({ uids: ['a'], names: [] })],
      ['a page', ({ page }) => page({ after: '', max: 1 })],
      ['versions', ({ versions }) => versions({ after: '', max: 1 })],
      ['versions by their uids', ({ versionsOf }) => versionsOf(['a'])],
      ['how many no list had', ({ countUnmarked }) => countUnmarked({ generation: 9, max: 1 })],
      ['what no list had', ({ unmarked }) => unmarked({ generation: 9, max: 1 })],
      ['that something is written', ({ write }) => write([rowOf('a')])],
      ['that something is marked', ({ mark }) => mark(['a'], 2)],
      ['that something is forgotten', ({ forget }) => forget(['a'])],
      ['that it has caught up', ({ setCaughtUp }) => setCaughtUp(1)],
      ['that something is sent', ({ send }) => send([message('woken')])],
    ])('does not tell the work of a term that is over %s', async (_, ask) => {
      const old = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      await termOf(store, 'pods', 'two');
      let isTold = false;
      const done = await store.transact(old, async (transaction) => {
        await ask(transaction);
        isTold = true;
      });
      expect([done, isTold]).toEqual([{ kind: 'fenced' }, false]);
    });

    it('fences a writer that has released', async () => {
      const term = await termOf(store, 'pods');
      await store.release(term);
      expect(await store.transact(term, async () => 1)).toEqual({ kind: 'fenced' });
    });

    it('fences a number that was never given', async () => {
      const term = await termOf(store, 'pods');
      const forged = { ...term, number: 7 };
      expect(await store.transact(forged, async () => 1)).toEqual({ kind: 'fenced' });
    });

    it('fences a scope that nobody ever claimed', async () => {
      const term = { scope: 'pods', holder: 'one', number: 1 };
      expect(await store.transact(term, async () => 1)).toEqual({ kind: 'fenced' });
    });

    it('lets a writer go on whose lease ran out while nobody has taken it', async () => {
      const term = await termOf(store, 'pods');
      await stage.lapse('pods');
      expect(await store.transact(term, async () => 1)).toEqual({ kind: 'committed', value: 1 });
    });

    it('makes who takes over wait for a transaction that has begun, and see all of it', async () => {
      const term = await termOf(store, 'pods', 'one');
      await stage.lapse('pods');
      const events: string[] = [];
      const writing = committed(store, term, async (transaction) => {
        await transaction.find({ uids: ['a'], names: [] });
        const taking = stage.open().claim('pods', 'two', leaseMs);
        void taking.then((claimed) =>
          events.push(`taken at ${JSON.stringify(claimed?.cursor.at)}`),
        );
        await transaction.find({ uids: ['a'], names: [] });
        await transaction.setCursor(watching);
        await transaction.find({ uids: ['a'], names: [] });
        events.push('written');
        return { taking };
      });
      await (await writing).taking;
      expect(events).toEqual(['written', 'taken at {"resourceVersion":"99"}']);
    });

    it('lets two transactions of one term run one after the other', async () => {
      const term = await termOf(store, 'pods');
      const events: string[] = [];
      const run = (name: string) =>
        committed(stage.open(), term, async ({ find }) => {
          await find({ uids: ['a'], names: [] });
          events.push(`${name} begins`);
          await find({ uids: ['a'], names: [] });
          events.push(`${name} ends`);
        });
      await Promise.all([run('a'), run('b')]);
      const [first, second] = [events[0]?.[0], events[2]?.[0]];
      expect(events).toEqual([
        `${first} begins`,
        `${first} ends`,
        `${second} begins`,
        `${second} ends`,
      ]);
    });

    it('lets writers of two scopes work side by side', async () => {
      const [pods, nodes] = [await termOf(store, 'pods'), await termOf(store, 'nodes')];
      await committed(store, pods, async (outer) => {
        await outer.write([rowOf('p')]);
        await committed(stage.open(), nodes, ({ write }) => write([rowOf('n')]));
        await outer.write([rowOf('q')]);
      });
      expect(await findUids(store, nodes, ['n'])).toHaveLength(1);
    });
  });
}
