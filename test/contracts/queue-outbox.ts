import { beforeEach, describe, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import type { Group, Outbox, Row } from '#events/sqs-queue/outbox.ts';
import type { Transacting } from './queue/stage.ts';

export type OutboxUnderTest = {
  readonly outbox: Outbox;
  begin(): Promise<Transacting>;
};

/** What `events/sqs-queue/outbox.ts` promises, whatever stands behind it. */
export function outboxContract(name: string, open: () => Promise<OutboxUnderTest>): void {
  describe(name, () => {
    let outbox: Outbox;
    let begin: OutboxUnderTest['begin'];
    beforeEach(async () => {
      const under = await open();
      outbox = under.outbox;
      begin = under.begin;
    });

    const take = async (except: readonly Group[] = [], max = 100): Promise<readonly Row[]> => {
      return (await outbox.alone((unsent) => unsent.take({ max, except }))) ?? [];
    };
    const accept = (rows: readonly Row[], kept: readonly Row[] = []) =>
      outbox.alone((unsent) =>
        unsent.accepted({ gone: rows.map(({ id }) => id), kept: kept.map(({ id }) => id) }),
      );

    it('has what was added as it was', async () => {
      const sent = message('g', 'größe 🦊', { subject: 'u1', attempt: 3, eventId: 'u1/7/ADDED' });
      await outbox.add([sent]);
      const [row] = await take();
      expect(row).toMatchObject(sent);
      expect(Math.abs((row?.sentAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    it('shows the first of each group, in the order of the sends', async () => {
      await outbox.add(['b', 'a', 'b', 'c', 'a'].map((group, at) => message(group, `${at}`)));
      expect((await take()).map(({ body }) => body)).toEqual(['0', '1', '3']);
    });

    it('shows the next of a group when the one before is accepted', async () => {
      await outbox.add(['a', 'b', 'c'].map((body) => message('g', body)));
      const bodies: string[] = [];
      for (let rows = await take(); rows.length > 0; rows = await take()) {
        bodies.push(...rows.map(({ body }) => body));
        await accept(rows);
      }
      expect(bodies).toEqual(['a', 'b', 'c']);
    });

    it('shows what is not accepted again and again, under one id', async () => {
      await outbox.add([message('g', 'a')]);
      const [first, second] = [await take(), await take()];
      expect(first.map(({ id }) => id)).toEqual(second.map(({ id }) => id));
    });

    it('passes groups over that are named, with all of their messages', async () => {
      await outbox.add([message('g', 'a'), message('g', 'b'), message('h', 'c')]);
      expect((await take([{ function: 'one', group: 'g' }])).map(({ body }) => body)).toEqual([
        'c',
      ]);
      expect(await take([{ function: 'two', group: 'g' }])).toHaveLength(2);
    });

    it('passes functions over that are named, with all of their groups', async () => {
      await outbox.add(['g', 'h'].map((group) => message(group, group)));
      await outbox.add([message('g', 'other', { function: 'two' })]);
      const taking = { max: 100, except: [], exceptFunctions: ['one'] };
      const rows = await outbox.alone((unsent) => unsent.take(taking));
      expect(rows?.map(({ body }) => body)).toEqual(['other']);
    });

    it('has the body for whom SQS was faster than the relay, and lets it be dropped', async () => {
      await outbox.add([message('g', 'long'), message('g', 'next')]);
      const [row] = await take();
      const id = row?.id ?? '';
      expect(await outbox.bodies.find(id)).toBe('long');
      await outbox.bodies.drop([id]);
      await accept([], row === undefined ? [] : [row]);
      expect(await outbox.bodies.find(id)).toBeUndefined();
      expect((await take()).map(({ body }) => body)).toEqual(['next']);
    });

    it('shows what is behind a deep group', async () => {
      await outbox.add(Array.from({ length: 1_500 }, (_, at) => message('deep', `${at}`)));
      await outbox.add([message('g', 'behind')]);
      expect((await take()).map(({ body }) => body)).toEqual(['0', 'behind']);
    });

    it('shows no more than asked for', async () => {
      await outbox.add(['a', 'b', 'c'].map((group) => message(group, group)));
      expect(await take([], 2)).toHaveLength(2);
    });

    it('keeps groups of one name that belong to two functions apart', async () => {
      await outbox.add([message('g', 'a'), message('g', 'b', { function: 'two' })]);
      expect(await take()).toHaveLength(2);
    });

    it.each(['accepted', 'accepted without its body'])(
      'shows what a transaction sent when it commits, though a later one was %s',
      async (how) => {
        const early = await begin();
        await early.send([message('g', 'early')]);
        await outbox.add([message('h', 'late')]);
        const before = await take();
        await (how === 'accepted' ? accept(before) : accept([], before));
        await early.commit();
        expect(before.map(({ body }) => body)).toEqual(['late']);
        expect((await take()).map(({ body }) => body)).toEqual(['early']);
      },
    );

    it('has nothing of a transaction that is rolled back', async () => {
      const transaction = await begin();
      await transaction.send([message('g', 'a')]);
      await transaction.rollback();
      expect(await take()).toEqual([]);
    });

    it('orders a group by who sent first, and lets nobody pass', async () => {
      const [first, second] = [await begin(), await begin()];
      await first.send([message('g', 'first')]);
      const sent = second.send([message('g', 'second')]).then(() => second.commit());
      for (const _ of [1, 2, 3]) expect(await take()).toEqual([]);
      await first.commit();
      await sent;
      const [row] = await take();
      expect(row?.body).toBe('first');
    });

    it('lets one relay in at a time', async () => {
      const inside = Promise.withResolvers<void>();
      const done = Promise.withResolvers<void>();
      const first = outbox.alone(async () => {
        inside.resolve();
        await done.promise;
        return 'first';
      });
      await inside.promise;
      expect(await outbox.alone(async () => 'second')).toBeUndefined();
      done.resolve();
      expect(await first).toBe('first');
      expect(await outbox.alone(async () => 'third')).toBe('third');
    });

    it('lets the next relay in after one that failed', async () => {
      const failing = outbox.alone(async () => {
        throw new Error('SQS is away');
      });
      await expect(failing).rejects.toThrow('SQS is away');
      expect(await outbox.alone(async () => 'next')).toBe('next');
    });

    it('keeps the body of what was accepted without it, until it is dropped', async () => {
      await outbox.add([message('g', 'long'), message('g', 'next')]);
      const [row] = await take();
      await accept([], row === undefined ? [] : [row]);
      const id = row?.id ?? '';
      expect((await take()).map(({ body }) => body)).toEqual(['next']);
      expect(await outbox.bodies.find(id)).toBe('long');
      await outbox.bodies.drop([id]);
      expect(await outbox.bodies.find(id)).toBeUndefined();
    });

    it.each(['', 'no id', '99999999999999999999', "1' or true", '-1', '0000000000000000001'])(
      'has no body under %j',
      async (id) => {
        await outbox.add([message('g', 'a')]);
        expect(await outbox.bodies.find(id)).toBeUndefined();
        await outbox.bodies.drop([id]);
        expect(await take()).toHaveLength(1);
      },
    );

    it('counts and purges what is not sent, function by function', async () => {
      await outbox.add([
        message('g', 'a'),
        message('h', 'b'),
        message('g', 'c', { function: 'two' }),
      ]);
      expect(await outbox.unsent('one')).toMatchObject({ count: 2 });
      expect(await outbox.purge('one')).toBe(2);
      expect(await outbox.unsent('one')).toEqual({ count: 0, oldestSeconds: 0 });
      expect(await take()).toHaveLength(1);
    });

    it('keeps bodies in a purge', async () => {
      await outbox.add([message('g', 'long')]);
      const rows = await take();
      await accept([], rows);
      expect(await outbox.purge('one')).toBe(0);
      expect(await outbox.bodies.find(rows[0]?.id ?? '')).toBe('long');
    });

    it('adds nothing of a batch with a message that cannot be sent', async () => {
      await expect(outbox.add([message('g', 'a'), message('g', '\0')])).rejects.toThrow('NUL');
      expect(await take()).toEqual([]);
    });
  });
}

function message(group: string, body: string, more: Partial<Outgoing> = {}): Outgoing {
  return { function: 'one', group, type: 'tested.v1', body, eventId: 'event', ...more };
}
