import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SetAffected } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { refuseUnsendable, type Unsent } from '#events/sendable.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { done, type Outcome, retry } from '#shared/domain/outcome.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { startClockwork, untilNextMoveMs } from '#shared/runtime/worker/clockwork.ts';
import { expand, expandPage } from '#shared/runtime/worker/expand.ts';
import { hold } from '#shared/runtime/worker/hold.ts';
import { openOutages, pauseMs } from '#shared/runtime/worker/outage.ts';
import type { Member } from '#shared/runtime/worker/plan-set.ts';
import { openSettler } from '#shared/runtime/worker/settler.ts';
import { logRecorded, mapChanged, reconcileBy, running } from '#test/support/running.ts';
import { eventually, foundOf, messageOf, queueAndSchedule } from '#test/support/working.ts';

describe('a run after its deadline', () => {
  it('finds its ports shut, so that it writes nothing that nobody waits for', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const definition = reconcileBy(
      async (_, ports): Promise<Outcome> => {
        await late;
        try {
          (ports as { clock: { now(): Date } }).clock.now();
          end('it wrote');
        } catch (cause: unknown) {
          end(String(cause));
        }
        return done;
      },
      { uses: ['clock'], deadlineMs: 5 },
    );
    const at = running({ clock: clockAt('2030-01-01T00:00:00Z') });
    expect(await runOnce(definition, mapChanged(), at)).toEqual(retry('it took longer than 5 ms'));
    resolve();
    expect(await ended).toBe('Error: it took longer than 5 ms');
  });

  it('ends as well when it is told to stop', async () => {
    const stopping = new AbortController();
    const definition = reconcileBy(() => new Promise(() => {}), { deadlineMs: 10_000 });
    const run = runOnce(definition, mapChanged(), { ...running(), stopped: stopping.signal });
    stopping.abort();
    expect(await run).toEqual(retry('it was told to stop'));
  });
});

describe('hold', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks for more time twice before it is over, so that one of the two may fail', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const asked: number[] = [];
    const extend = async (_: string, visibilityMs: number) => {
      asked.push(visibilityMs);
      if (asked.length === 1) throw new Error('away');
      return true;
    };
    const onLost = () => expect.unreachable('it is ours');
    const letGo = hold({ queue: { extend }, receipt: 'one', visibilityMs: 30_000, onLost });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(asked).toEqual([30_000, 30_000]);
    letGo();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(2);
  });
});

describe('openSettler', () => {
  it('settles together what ends in one turn, and what gathers while a call is under way', async () => {
    const calls: (readonly string[])[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = openSettler({
      settle: async (receipts) => {
        calls.push(receipts);
        await promise;
        return receipts.map((receipt) => receipt !== 'old');
      },
    });
    const answers = ['a', 'old'].map(settle);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const later = ['c', 'd'].map(settle);
    resolve();
    expect(await Promise.all([...answers, ...later])).toEqual([true, false, true, true]);
    expect(calls).toEqual([
      ['a', 'old'],
      ['c', 'd'],
    ]);
  });

  it('goes on after a call that failed', async () => {
    let isAway = true;
    const settle = openSettler({
      settle: async (receipts) => {
        if (isAway) throw new Error('away');
        return receipts.map(() => true);
      },
    });
    await expect(settle('a')).rejects.toThrow('away');
    isAway = false;
    expect(await settle('a')).toBe(true);
  });
});

describe('expand', () => {
  const set = {
    kind: 'set',
    cluster: 'blue',
    group: '',
    resource: 'configmaps',
    namespace: 'team-a',
    after: '',
  } as const;
  const all: readonly Member[] = ['u1', 'u2', 'u3', 'u4', 'u5'].map((uid) => {
    return { namespace: 'team-a', name: `map-${uid}`, uid };
  });

  const now = 300_000;

  function expanding(onSend: (messages: readonly Outgoing[]) => void = () => {}) {
    const sent: (readonly Outgoing[])[] = [];
    const told: Unsent[] = [];
    const put: Wakeup[] = [];
    return {
      ...{ sent, told, put },
      given: {
        functionName: 'follow-maps',
        eventId: 'ns/7/MODIFIED',
        attempt: 0,
        pageSize: 2,
        members: async (of: SetAffected, max: number) =>
          foundOf(all.filter(({ uid }) => uid > of.after).slice(0, max), now),
        sender: {
          send: async (messages: readonly Outgoing[]) => {
            sent.push(messages);
            onSend(messages);
          },
        },
        schedule: { add: async (wakeups: readonly Wakeup[]) => void put.push(...wakeups) },
        tell: (unsent: Unsent) => void told.push(unsent),
      },
    };
  }
  const subjectsOf = (sent: readonly (readonly Outgoing[])[]) =>
    sent.map((messages) => messages.map(({ subject }) => subject));

  it('makes a message for each, in pages that do not wait for each other on the queue', async () => {
    const { given, sent } = expanding();
    await expand(set, given);
    expect(subjectsOf(sent)).toEqual([['u1', 'u2'], ['u3', 'u4'], ['u5']]);
  });

  it('ends with the last page, which may be empty', async () => {
    const { given, sent } = expanding();
    await expand({ ...set, after: 'u3' }, given);
    expect(subjectsOf(sent)).toEqual([['u4', 'u5'], []]);
  });

  it('sends no further page once it is told to stop', async () => {
    const stopping = new AbortController();
    const { given, sent } = expanding(() => stopping.abort());
    await expand(set, { ...given, stopped: stopping.signal });
    expect(subjectsOf(sent)).toEqual([['u1', 'u2']]);
  });

  it('makes the messages of one page, and before them one for what comes after', async () => {
    const { given, sent } = expanding();
    expect(await expandPage(set, given)).toEqual(done);
    expect(subjectsOf(sent)).toEqual([[undefined, 'u1', 'u2']]);
    const rest = messageFor('follow-maps', { ...set, after: 'u2' }, 'ns/7/MODIFIED');
    expect(sent[0]?.[0]).toEqual(rest);
    await expandPage({ ...set, after: 'u4' }, given);
    expect(subjectsOf(sent).at(-1)).toEqual(['u5']);
  });

  it.each([
    ['in one go', expand],
    ['a page a message', expandPage],
  ])('wakes all but the one for whom there can be no message, %s', async (_, expands) => {
    const { given, sent, told } = expanding(refuseUnsendable);
    const large = { namespace: 'team-a', name: 'm'.repeat(990), uid: 'u3' };
    const members = async () => foundOf([...all.slice(0, 2), large, ...all.slice(3)]);
    expect(await expands(set, { ...given, members, pageSize: 500 })).toEqual(done);
    expect(subjectsOf(sent).flat()).toEqual(['u1', 'u2', 'u4', 'u5']);
    expect(told).toEqual([
      {
        function: 'follow-maps',
        object: expect.stringMatching(/^team-a\/mmm+…$/),
        why: 'group is too long',
      },
    ]);
  });

  it.each([
    ['in one go', expand],
    ['a page a message', expandPage],
  ])('is not over where a page cannot be sent, %s', async (_, expands) => {
    const { given } = expanding(() => {
      throw new Error('the queue is away');
    });
    await expect(expands(set, given)).rejects.toThrow('the queue is away');
  });

  it.each([
    ['in one go', expand],
    ['a page a message', expandPage],
  ])('waits while nobody knows all members, %s', async (_, expands) => {
    const { given, sent, put } = expanding();
    const members = async () => 'unknown' as const;
    const why = 'not all configmaps are listed yet';
    expect(await expands(set, { ...given, members })).toEqual(retry(why));
    expect([sent, put]).toEqual([[], []]);
  });

  it.each([
    ['in one go', expand],
    ['a page a message', expandPage],
  ])(
    'looks once more for those who come later, before it sends anything, %s',
    async (_, expands) => {
      const { given, put } = expanding(() => expect(put).toHaveLength(1));
      await expands(set, given);
      await expands({ ...set, after: 'u4' }, given);
      const again = { ...set, again: { since: 285_000 } } as const;
      const message = messageFor('follow-maps', again, 'ns/7/MODIFIED');
      expect(put).toEqual([{ message, reason: 'later', afterMs: 165_000 }]);
    },
  );

  it.each([
    ['in one go', expand],
    ['a page a message', expandPage],
  ])('puts off a second look that comes too early, and sends nothing, %s', async (_, expands) => {
    const { given, sent, put } = expanding();
    const again = { ...set, again: { since: 285_000 } } as const;
    expect(await expands(again, given)).toEqual(done);
    const message = messageFor('follow-maps', again, 'ns/7/MODIFIED');
    expect(put).toEqual([{ message, reason: 'later', afterMs: 165_000 }]);
    expect(sent).toEqual([]);
  });

  it('looks for no more than those who came later', async () => {
    const { given, sent, put } = expanding();
    await expand({ ...set, again: { since: 60_000 } }, given);
    expect(subjectsOf(sent)).toEqual([['u1', 'u2'], ['u3', 'u4'], ['u5']]);
    expect(put).toEqual([]);
  });
});

const watched = () => ({
  name: 'queue',
  conditions: conditionsRecorded(),
  log: logRecorded(),
  random: () => 0,
});

describe('openOutages', () => {
  it('waits longer and longer, up to two seconds', () => {
    expect([0, 1, 2, 10].map((failures) => pauseMs(failures, 1))).toEqual([100, 200, 400, 2_000]);
    expect(pauseMs(0, 0)).toBe(50);
  });

  it('says what may be said of the cause, and the rest in the log alone', async () => {
    const at = watched();
    let isAway = true;
    const work = async () => {
      if (!isAway) return 'answer';
      isAway = false;
      throw new Error('password=hunter2');
    };
    expect(await openOutages(at).through(work, new AbortController().signal)).toBe('answer');
    expect(at.conditions.reports.map(({ holds, why }) => [holds, why])).toEqual([
      [false, 'the queue does not answer: the log says more'],
      [true, 'it answers'],
    ]);
  });

  it('says once that it does not answer, where the cause begins so itself', async () => {
    const at = { ...watched(), say: () => 'the queue does not answer: it is restarting' };
    let isAway = true;
    await openOutages(at).through(async () => {
      if (!isAway) return;
      isAway = false;
      throw new Error('gone');
    }, new AbortController().signal);
    expect(at.conditions.reports[0]?.why).toBe('the queue does not answer: it is restarting');
  });

  it('says each reason once that comes up while it is away, so many and no more', async () => {
    const at = { ...watched(), say: String };
    const outages = openOutages(at);
    const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
    const failing = (cause: string) => {
      const causes = [cause];
      const work = async () => {
        if (causes.pop() !== undefined) throw cause;
        await isBack;
      };
      return outages.through(work, new AbortController().signal);
    };
    const causes = ['cut', 'read-only', 'read-only', 'cut', 'a', 'b', 'c', 'd'];
    const all = causes.map(failing);
    comeBack();
    await Promise.all(all);
    const said = at.log.lines.map(({ fields }) => fields['why']);
    const reasons = ['read-only', 'a', 'b', 'c'];
    expect(said).toEqual(reasons.map((cause) => `the queue does not answer: ${cause}`));
  });

  it('ends with the signal', async () => {
    const ending = new AbortController();
    const outages = openOutages(watched());
    const through = outages.through(() => Promise.reject(new Error('away')), ending.signal);
    await eventually(() => expect(outages.isAway()).toBe(true));
    ending.abort();
    expect(await through).toBeUndefined();
  });
});

describe('startClockwork', () => {
  it('moves what is due to the queue, a period again and again', async () => {
    const { queue, schedule } = queueAndSchedule();
    const outages = openOutages({
      name: 'schedule',
      conditions: conditionsRecorded(),
      log: logRecorded(),
      random: () => 0,
    });
    await schedule.add([{ message: messageOf({}, { attempt: 4 }), reason: 'retry', afterMs: 20 }]);
    const clockwork = startClockwork({ schedule, outages, random: () => 0 });
    const [delivery] = await queue.receive({
      functions: ['follow-maps'],
      max: 1,
      visibilityMs: 1_000,
      waitMs: 1_000,
    });
    expect(delivery).toMatchObject({ attempt: 4 });
    await clockwork.stop();
  });

  it.each([
    ['in a second where nothing is due', undefined, 1_000],
    ['in a second where something is due much later', 60_000, 1_000],
    ['when the next one is due', 300, 300],
    ['after a moment where that is now', 0, 10],
  ])('looks again %s', (_, nextMs, ms) => {
    expect(untilNextMoveMs({ nextMs }, { random: () => 0 })).toBe(ms);
    expect(untilNextMoveMs({ nextMs }, { random: () => 1 })).toBe(1.2 * ms);
  });

  it('tells how much was due when it came', async () => {
    const { schedule } = queueAndSchedule();
    const outages = openOutages(watched());
    const message = messageOf({}, {});
    await schedule.add([{ message, reason: 'retry', afterMs: 0 }]);
    const first = startClockwork({ schedule, outages, random: () => 0 });
    expect(await first.dueAtFirst).toBe(1);
    await first.stop();
    const next = startClockwork({ schedule, outages, random: () => 0 });
    expect(await next.dueAtFirst).toBe(0);
    await next.stop();
  });

  it('tells of nothing where it is stopped before it has looked', async () => {
    const outages = openOutages(watched());
    const away = { moveDue: () => Promise.reject(new Error('away')) };
    const clockwork = startClockwork({ schedule: away, outages, random: () => 0 });
    await eventually(() => expect(outages.isAway()).toBe(true));
    await clockwork.stop();
    expect(await clockwork.dueAtFirst).toBe(0);
  });

  it('looks at once where it is told to, however long its pause is', async () => {
    const { queue, schedule } = queueAndSchedule();
    const outages = openOutages({
      name: 'schedule',
      conditions: conditionsRecorded(),
      log: logRecorded(),
      random: () => 0,
    });
    let looks = 0;
    const counting = {
      async moveDue(most: number) {
        const moved = await schedule.moveDue(most);
        looks += 1;
        return moved;
      },
    };
    const lookAgainMs = 600_000;
    const clockwork = startClockwork({ schedule: counting, outages, random: () => 0, lookAgainMs });
    await eventually(() => expect(looks).toBe(1));
    await schedule.add([{ message: messageOf({}, { attempt: 4 }), reason: 'retry', afterMs: 0 }]);
    clockwork.look();
    const functions = ['follow-maps'];
    const [delivery] = await queue.receive({
      functions,
      max: 1,
      visibilityMs: 1_000,
      waitMs: 1_000,
    });
    expect(delivery).toMatchObject({ attempt: 4 });
    await clockwork.stop();
  });
});
