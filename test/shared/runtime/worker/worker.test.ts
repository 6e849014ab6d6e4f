import { setTimeout as after } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import type { Queue } from '#events/queue.ts';
import type { Schedule, Wakeup } from '#events/schedule.ts';
import { done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';
import { eventually, foundOf, messageOf, workplace } from '#test/support/working.ts';

type At = ReturnType<typeof workplace>;
let at: At | undefined;

function open(...given: Parameters<typeof workplace>): At {
  at = workplace(...given);
  return at;
}

afterEach(async () => {
  vi.useRealTimers();
  await at?.worker.stop(0);
  await at?.queue.close();
  at = undefined;
});

const coded = (code: string) => Object.assign(new Error('said'), { code });
const nameOf = (wake: Wake) => (wake.kind === 'object' ? wake.name : '');
const depthOf = async ({ queue }: At) => (await queue.depth(['follow-maps']))[0];
const isEmpty = { waiting: 0, inFlight: 0, dead: 0 };

/** A handler that ends when it is told to. */
function gate() {
  const entered: string[] = [];
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const definition = reconcileBy(
    (wake) => {
      entered.push(nameOf(wake));
      return promise;
    },
    { deadlineMs: 20_000 },
  );
  return { definition, entered, end: () => resolve(done) };
}

describe('a worker', () => {
  it('settles what was done', async () => {
    const place = open([reconcileBy(() => done)]);
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'done' }]));
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('runs different objects side by side, and one object at a time', async () => {
    const { definition, entered, end } = gate();
    const place = open([definition]);
    await place.queue.send([
      messageOf({ name: 'one' }),
      messageOf({ name: 'one', uid: 'uid-2' }),
      messageOf({ name: 'two' }),
    ]);
    await eventually(() => expect(entered).toEqual(['one', 'two']));
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 2 });
    end();
    await eventually(() => expect(entered).toEqual(['one', 'two', 'one']));
  });

  it('has no more groups in hand than it may', async () => {
    const { definition, entered, end } = gate();
    const place = open([definition], { groups: 2 });
    await place.queue.send(['a', 'b', 'c', 'd', 'e'].map((name) => messageOf({ name })));
    await eventually(() => expect(entered).toHaveLength(2));
    expect(place.worker.inFlight()).toBe(2);
    end();
    await eventually(() => expect(place.worked).toHaveLength(5));
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('runs the next beside the end of the last, and no more than that while no end is reached', async () => {
    const entered: string[] = [];
    const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
    const definition = reconcileBy((wake) => {
      entered.push(nameOf(wake));
      return done;
    });
    const place = open([definition], {
      groups: 1,
      queueSeen: (queue) => ({
        ...queue,
        settle: async (receipts) => {
          await isBack;
          return queue.settle(receipts);
        },
      }),
    });
    await place.queue.send(['a', 'b', 'c'].map((name) => messageOf({ name })));
    await eventually(() => expect(entered).toEqual(['a', 'b']));
    await after(20);
    expect(entered).toEqual(['a', 'b']);
    expect(place.worker.inFlight()).toBe(2);
    comeBack();
    await eventually(() => expect(place.worked).toHaveLength(3));
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('gives back at once what it took ahead when it is told to stop, unrun', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const entered: string[] = [];
    const definition = reconcileBy((wake) => {
      entered.push(nameOf(wake));
      return entered.length === 1 ? done : promise;
    });
    const place = open([definition], { groups: 1 });
    await place.queue.send([messageOf({ name: 'short' })]);
    await eventually(() => expect(place.worked).toHaveLength(1));
    await place.queue.send(['long', 'ahead'].map((name) => messageOf({ name })));
    await eventually(() => expect(place.worker.inFlight()).toBe(2));
    const stopping = place.worker.stop(5_000);
    await eventually(async () => expect(await depthOf(place)).toMatchObject({ waiting: 1 }));
    resolve(done);
    await stopping;
    expect(entered).toEqual(['short', 'long']);
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 0 });
  });

  it.each<[Outcome, object]>([
    [later(60), { outcome: 'later' }],
    [retry('away'), { outcome: 'retry', why: 'away' }],
  ])('puts %o on the schedule and settles it', async (outcome, told) => {
    const place = open([reconcileBy(() => outcome)]);
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([told]));
    expect(await depthOf(place)).toMatchObject(isEmpty);
    const { nextMs = 0 } = await place.schedule.moveDue(10);
    expect(nextMs).toBeGreaterThan(500);
  });

  const refusing = (cause: unknown) => ({
    scheduleSeen: (schedule: Schedule) => ({ ...schedule, add: () => Promise.reject(cause) }),
  });

  it.each([
    ['Postgres', coded('22003'), 'the database refused a statement: SQLSTATE 22003'],
    ['the language', new TypeError('no text'), 'the database call failed: TypeError'],
  ])('buries what %s refuses to put on the schedule, and stays ready', async (_, cause, what) => {
    const place = open([reconcileBy(() => retry('away'))], refusing(cause));
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toHaveLength(1));
    const dead = await place.queue.listDead({ max: 10 });
    expect(dead).toMatchObject([{ why: `it cannot be run again: ${what}` }]);
    expect(place.conditions.reports.every(({ holds }) => holds)).toBe(true);
    const told = place.log.lines.filter(({ message }) => message === 'a message is buried');
    expect(told).toMatchObject([
      { level: 'error', fields: { function: 'follow-maps', err: cause } },
    ]);
  });

  it.each([
    ['a lost connection', coded('ECONNREFUSED')],
    ['a deadlock', coded('40P01')],
    ['a plan of before a migration', coded('0A000')],
    ['what has no code', new Error('away')],
  ])('buries nothing for %s: it is asked again', async (_, cause) => {
    let asked = 0;
    const place = open([reconcileBy(() => retry('away'))], {
      scheduleSeen: (schedule) => ({
        ...schedule,
        async add(wakeups) {
          asked += 1;
          if (asked < 3) throw cause;
          await schedule.add(wakeups);
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'retry' }]));
    expect(asked).toBe(3);
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('runs a new event at once while an older one waits out its backoff', async () => {
    let outcome: Outcome = retry('away');
    const place = open([reconcileBy(() => outcome)]);
    // One of minutes: whoever waited it out with the group in hand would be too late.
    await place.queue.send([{ ...messageOf(), attempt: 20 }]);
    await eventually(() => expect(place.worked).toHaveLength(1));
    outcome = done;
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{}, { outcome: 'done' }]));
  });

  it('loses nothing where it dies between schedule and queue: the message is there twice', async () => {
    let settles = 0;
    const place = open([reconcileBy(() => retry('away'))], {
      queueSeen: (queue) => ({
        ...queue,
        settle: () => {
          settles += 1;
          return new Promise(() => {});
        },
      }),
      visibilityMs: 30,
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(settles).toBe(1));
    expect((await place.schedule.moveDue(10)).nextMs).toBeGreaterThan(0);
    expect(await depthOf(place)).toMatchObject({ waiting: 0, inFlight: 1 });
  });

  it.each<[string, string, Outcome, string]>([
    ['what can never work', messageOf().body, giveUp('no such pool'), 'no such pool'],
    ['a body that is no JSON', '{"kind":', done, 'the body is not JSON'],
    ['a body of another shape', '{"kind":"object"}', done, '$.cluster: expected text'],
  ])('buries %s with its bytes and the reason', async (_, body, outcome, why) => {
    const place = open([reconcileBy(() => outcome)]);
    await place.queue.send([messageOf({}, { body })]);
    await eventually(() => expect(place.worked).toHaveLength(1));
    expect(await place.queue.listDead({ max: 10 })).toMatchObject([{ body, why }]);
    expect(place.log.lines.map(({ message }) => message)).toContain('a message is buried');
  });

  it('keeps a message as long as its handler lives', async () => {
    const { definition, entered, end } = gate();
    let nowMs = 0;
    let extensions = 0;
    const place = open([definition], {
      visibilityMs: 60,
      now: () => nowMs,
      queueSeen: (queue) => ({
        ...queue,
        async extend(...given) {
          const isOurs = await queue.extend(...given);
          extensions += 1;
          nowMs += 50;
          return isOurs;
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(extensions).toBeGreaterThan(5));
    expect(await depthOf(place)).toMatchObject({ waiting: 0, inFlight: 1 });
    end();
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'done' }]));
    expect(entered).toHaveLength(1);
  });

  it('stops a run whose message became somebody else’s, and settles nothing of theirs', async () => {
    const settled: string[] = [];
    let given: AbortSignal | undefined;
    const definition = reconcileBy(
      (_, __, run) => {
        given = run?.deadline;
        return new Promise(() => {});
      },
      { deadlineMs: 20_000 },
    );
    const place = open([definition], {
      visibilityMs: 60,
      queueSeen: (queue) => ({
        ...queue,
        receive: (receiving) => queue.receive({ ...receiving, visibilityMs: 60_000 }),
        extend: async () => false,
        release: async () => false,
        settle: async (receipts) => {
          settled.push(...receipts);
          return queue.settle(receipts);
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'given-back' }]));
    expect(given?.aborted).toBe(true);
    expect(settled).toEqual([]);
  });

  it.each<[Outcome, number]>([
    [done, 0],
    [later(60), 0],
    [giveUp('never'), 1],
  ])(
    'tells %o as what became of it, though an extension is too late while that is answered',
    async (outcome, dead) => {
      const extended: boolean[] = [];
      const answered = async <T>(answer: T): Promise<T> => {
        await eventually(() => expect(extended).toContain(false));
        return answer;
      };
      const place = open([reconcileBy(() => outcome)], {
        visibilityMs: 60,
        queueSeen: (queue) => ({
          ...queue,
          receive: (receiving) => queue.receive({ ...receiving, visibilityMs: 60_000 }),
          settle: async (receipts) => answered(await queue.settle(receipts)),
          bury: async (receipt, why) => answered(await queue.bury(receipt, why)),
          async extend(receipt, visibilityMs) {
            const isOurs = await queue.extend(receipt, visibilityMs);
            extended.push(isOurs);
            return isOurs;
          },
        }),
      });
      await place.queue.send([messageOf()]);
      await eventually(() => expect(place.worked).toMatchObject([{ outcome: outcome.kind }]));
      expect(await depthOf(place)).toMatchObject({ ...isEmpty, dead });
      expect(place.log.lines.map(({ level }) => level)).not.toContain('warn');
    },
  );

  it('lets go of what became somebody else’s while no schedule answers', async () => {
    const place = open([reconcileBy(() => later(60))], {
      visibilityMs: 60,
      scheduleSeen: (schedule) => ({ ...schedule, add: () => Promise.reject(new Error('away')) }),
      queueSeen: (queue) => ({
        ...queue,
        receive: (receiving) => queue.receive({ ...receiving, visibilityMs: 60_000 }),
        extend: async () => false,
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'given-back' }]));
  });

  it('keeps invisible to others what it cannot settle yet', async () => {
    const extended: string[] = [];
    let settles = 0;
    const place = open([reconcileBy(() => done)], {
      visibilityMs: 240,
      queueSeen: (queue) => ({
        ...queue,
        async extend(receipt, visibilityMs) {
          if (settles > 0) extended.push(receipt);
          return queue.extend(receipt, visibilityMs);
        },
        async settle(receipts) {
          settles += 1;
          if (extended.length < 3) throw new Error('away');
          return queue.settle(receipts);
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'done' }]));
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('asks for nothing that is switched off, so that it waits for those who have it on', async () => {
    let functions = [reconcileBy(() => done)];
    const place = open([], { functions: () => functions });
    functions = [];
    place.worker.refresh();
    await place.queue.send([messageOf()]);
    await place.queue.send([messageOf({ name: 'two' })]);
    functions = [reconcileBy(() => done)];
    expect(place.worked.length).toBeLessThanOrEqual(1);
    place.worker.refresh();
    await eventually(() => expect(place.worked).toHaveLength(2));
  });

  it('gives back unrun what it has claimed for one that is switched off by then', async () => {
    let functions = [reconcileBy(() => done)];
    const place = open([], {
      functions: () => functions,
      queueSeen: (queue) => ({
        ...queue,
        receive: async (receiving) => {
          const deliveries = await queue.receive(receiving);
          if (deliveries.length > 0) functions = [];
          return deliveries;
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(place.worker.inFlight()).toBe(1));
    await place.worker.stop(10_000);
    expect(place.worked).toEqual([]);
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 0 });
  });

  it.each([
    ['a kind that only a newer trigger watches', mapChanged({ resource: 'nodes' }), {}],
    ['a type that only a newer build decodes', mapChanged(), { type: 'object.changed.v9' }],
  ])('leaves messages of %s to others, each by itself', async (_, payload, more) => {
    const place = open([reconcileBy(() => done)]);
    const messages = ['uid-1', 'uid-2'].map((uid) => ({
      ...messageFor('follow-maps', { ...payload, uid }, `${uid}/7/existing`),
      ...more,
    }));
    await place.queue.send(messages);
    await eventually(() => expect(place.worked).toHaveLength(2));
    const left = messages.map(({ eventId, type }) => ({
      reason: 'retry',
      attempt: 1,
      eventId,
      type,
    }));
    expect(await place.schedule.peek('follow-maps', 9)).toMatchObject(left);
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('leaves a set of a kind that only another trigger watches to others, and puts it aside as one', async () => {
    const members = () => expect.unreachable('nobody is woken');
    const place = open([reconcileBy(() => done)], { members });
    const set = { kind: 'set', cluster: 'default', group: '', resource: 'nodes' } as const;
    const message = messageFor('follow-maps', { ...set, namespace: '', after: '' }, 'e/1');
    await place.queue.send([message]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'retry' }]));
    await place.queue.send([{ ...message, attempt: 100 }]);
    await eventually(() => expect(place.worked).toHaveLength(2));
    expect(place.worked[1]).toMatchObject({ outcome: 'undecodable' });
    expect(await depthOf(place)).toMatchObject({ dead: 1 });
  });

  it('turns a set into a message for each member, and runs those', async () => {
    const seen: string[] = [];
    const definition = reconcileBy((wake) => {
      seen.push(nameOf(wake));
      return done;
    });
    const member = (name: string) => ({ namespace: 'team-a', name, uid: `uid-${name}` });
    const place = open([definition], { members: async () => foundOf([member('a'), member('b')]) });
    const set = { kind: 'set', cluster: 'default', group: '', resource: 'configmaps' };
    const body = JSON.stringify({ ...set, namespace: 'team-a', after: '' });
    await place.queue.send([messageOf({}, { type: 'set.affected.v1', body, mergeKey: 'set' })]);
    await eventually(() => expect(seen).toEqual(['a', 'b']));
  });

  it('tells of a member that cannot be woken, and again only after a while', async () => {
    const seen: string[] = [];
    const definition = reconcileBy((wake) => {
      seen.push(nameOf(wake));
      return done;
    });
    const member = (name: string) => ({ namespace: 'team-a', name, uid: `uid-${name}` });
    const all = [member('a'), member('b'.repeat(3_000))];
    const place = open([definition], { members: async () => foundOf(all) });
    const set = { kind: 'set', cluster: 'default', group: '', resource: 'configmaps' } as const;
    for (const turn of [1, 2, 3]) {
      const changed = { ...set, namespace: 'team-a', after: '' };
      await place.queue.send([messageFor('follow-maps', changed, `e/${turn}`)]);
      await eventually(() => expect(seen).toHaveLength(turn));
    }
    const told = place.log.lines.filter(({ message }) => message.includes('cannot be woken'));
    expect(told).toMatchObject([{ level: 'error', fields: { eventId: 'e/1' } }]);
  });

  it('puts a set whose members nobody knows yet on the schedule', async () => {
    const added: Wakeup[] = [];
    const place = open([reconcileBy(() => done)], {
      members: async () => 'unknown',
      scheduleSeen: (schedule) => ({
        ...schedule,
        async add(wakeups) {
          added.push(...wakeups);
        },
      }),
    });
    const set = { kind: 'set', cluster: 'default', group: '', resource: 'configmaps' } as const;
    const message = messageFor('follow-maps', { ...set, namespace: 'team-a', after: '' }, 'e/1');
    await place.queue.send([message]);
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'retry' }]));
    expect(added).toMatchObject([{ message: { body: message.body }, reason: 'retry' }]);
  });
});

describe('a worker whose queue is away', () => {
  /** Fails as long as it is told to. */
  function away(kinds: readonly (keyof Queue)[]) {
    const state = { isAway: true, asked: 0 };
    const queueSeen = (queue: Queue): Queue => {
      const broken = kinds.map((kind) => [
        kind,
        async (...given: never[]) => {
          state.asked += 1;
          if (state.isAway) throw new Error('connect ECONNREFUSED');
          return Reflect.apply(queue[kind], queue, given);
        },
      ]);
      return { ...queue, ...Object.fromEntries(broken) };
    };
    return { state, queueSeen };
  }

  it('asks again until it is back, and says each only once', async () => {
    const { state, queueSeen } = away(['receive']);
    const place = open([reconcileBy(() => done)], { queueSeen });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(state.asked).toBeGreaterThan(2));
    expect(place.conditions.find('queue')).toMatchObject({ holds: false });
    state.isAway = false;
    await eventually(() => expect(place.worked).toMatchObject([{ outcome: 'done' }]));
    expect(place.conditions.find('queue')).toMatchObject({ holds: true });
    expect(place.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('settles what was done when it is back, without a second run', async () => {
    const { state, queueSeen } = away(['settle']);
    let runs = 0;
    const definition = reconcileBy(() => {
      runs += 1;
      return done;
    });
    const place = open([definition], { queueSeen });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(state.asked).toBeGreaterThan(1));
    state.isAway = false;
    await eventually(() => expect(place.worked).toHaveLength(1));
    expect(runs).toBe(1);
    expect(await depthOf(place)).toMatchObject(isEmpty);
  });

  it('ends all the same when it is told to', async () => {
    const { state, queueSeen } = away(['receive', 'release']);
    const place = open([reconcileBy(() => done)], { queueSeen });
    await eventually(() => expect(state.asked).toBeGreaterThan(0));
    await place.worker.stop(1_000);
    expect(place.worker.inFlight()).toBe(0);
  });
});

describe('a worker that is told to stop', () => {
  it('lets what runs come to its end, and takes nothing more', async () => {
    const { definition, entered, end } = gate();
    const place = open([definition]);
    await place.queue.send([messageOf({ name: 'one' })]);
    await eventually(() => expect(entered).toHaveLength(1));
    const stopped = place.worker.stop(10_000);
    await place.queue.send([messageOf({ name: 'two' })]);
    end();
    await stopped;
    expect(place.worked).toMatchObject([{ outcome: 'done' }]);
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 0 });
  });

  it('is at its end at once where it waits for a message', async () => {
    const asked: string[] = [];
    const place = open([reconcileBy(() => done)], {
      queueSeen: (queue) => ({
        ...queue,
        receive(receiving) {
          asked.push('receive');
          return queue.receive(receiving);
        },
      }),
    });
    await eventually(() => expect(asked).toHaveLength(1));
    const began = performance.now();
    await place.worker.stop(3_000);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('is not held up where giving back hangs', async () => {
    const { definition, entered } = gate();
    const { promise: released, resolve } = Promise.withResolvers<boolean>();
    const place = open([definition], {
      queueSeen: (queue) => ({ ...queue, release: () => released }),
    });
    await place.queue.send([messageOf()]);
    await eventually(() => expect(entered).toHaveLength(1));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isOver = false;
    const stopping = place.worker.stop(10).then(() => {
      isOver = true;
    });
    const isOverAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return isOver;
    };
    const seen = [await isOverAfter(1_990), await isOverAfter(30)];
    resolve(false);
    await stopping;
    expect(seen).toEqual([false, true]);
  });

  it('claims together what comes while it rests', async () => {
    const claims: number[] = [];
    const place = open([reconcileBy(() => done)], {
      restMs: 40,
      queueSeen: (queue) => ({
        ...queue,
        receive: async (receiving) => {
          const deliveries = await queue.receive(receiving);
          claims.push(deliveries.length);
          return deliveries;
        },
      }),
    });
    for (const uid of ['a', 'b', 'c', 'd', 'e']) {
      await place.queue.send([messageOf({ name: uid, uid })]);
      await after(2);
    }
    await eventually(() => expect(place.worked).toHaveLength(5));
    expect(claims).toEqual([1, 4]);
  });

  it('gives back what does not end in time, to be received again at once and as before', async () => {
    const { definition, entered } = gate();
    const place = open([definition]);
    await place.queue.send([messageOf()]);
    await eventually(() => expect(entered).toHaveLength(1));
    await place.worker.stop(10);
    expect(place.worked).toMatchObject([{ outcome: 'given-back' }]);
    const [again] = await place.queue.receive({
      functions: ['follow-maps'],
      max: 1,
      visibilityMs: 1_000,
      waitMs: 0,
    });
    expect(again).toMatchObject({ received: 1, attempt: 0 });
    expect((await place.schedule.moveDue(10)).nextMs).toBeUndefined();
  });

  it('gives back a set whose members nobody names in time', async () => {
    let asked = 0;
    const place = open([reconcileBy(() => done)], {
      members: () => {
        asked += 1;
        return new Promise(() => {});
      },
    });
    const set = { kind: 'set', cluster: 'default', group: '', resource: 'configmaps' } as const;
    await place.queue.send([
      messageFor('follow-maps', { ...set, namespace: '', after: '' }, 'e/1'),
    ]);
    await eventually(() => expect(asked).toBe(1));
    await place.worker.stop(10);
    expect(place.worked).toMatchObject([{ outcome: 'given-back' }]);
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 0 });
  });

  it('gives back what it claimed while it stopped', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place = open([reconcileBy(() => done)], {
      queueSeen: (queue) => ({
        ...queue,
        receive: async (receiving) => {
          const deliveries = await queue.receive(receiving);
          await promise;
          return deliveries;
        },
      }),
    });
    await place.queue.send([messageOf()]);
    await eventually(async () => expect(await depthOf(place)).toMatchObject({ inFlight: 1 }));
    const stopped = place.worker.stop(10_000);
    resolve();
    await stopped;
    expect(place.worked).toEqual([]);
    expect(await depthOf(place)).toMatchObject({ waiting: 1, inFlight: 0 });
  });
});
