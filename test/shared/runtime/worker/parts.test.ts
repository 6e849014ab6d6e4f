import { describe, expect, it } from 'vitest';
import { messageFor } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { done, type Outcome, retry } from '#shared/domain/outcome.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { startClockwork } from '#shared/runtime/worker/clockwork.ts';
import { expand, type Member } from '#shared/runtime/worker/expand.ts';
import { openOutages, pauseMs } from '#shared/runtime/worker/outage.ts';
import { openSettler } from '#shared/runtime/worker/settler.ts';
import { logRecorded, mapChanged, reconcileBy, running } from '#test/support/running.ts';
import { eventually, messageOf, queueAndSchedule } from '#test/support/working.ts';

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

describe('openSettler', () => {
  it('sends what gathers while a call is under way with the next one', async () => {
    const calls: (readonly string[])[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = openSettler({
      settle: async (receipts) => {
        calls.push(receipts);
        await promise;
        return receipts.map((receipt) => receipt !== 'old');
      },
    });
    const answers = ['a', 'old', 'c'].map(settle);
    resolve();
    expect(await Promise.all(answers)).toEqual([true, false, true]);
    expect(calls).toEqual([['a'], ['old', 'c']]);
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

  async function expanded(after: string) {
    const sent: Outgoing[] = [];
    await expand(
      { ...set, after },
      {
        functionName: 'follow-maps',
        eventId: 'ns/7/MODIFIED',
        pageSize: 2,
        members: async (of, max) => all.filter(({ uid }) => uid > of.after).slice(0, max),
        sender: {
          send: async (messages) => {
            sent.push(...messages);
          },
        },
      },
    );
    return sent;
  }

  it('makes a message for each of a page, and before them one for what comes after', async () => {
    const sent = await expanded('');
    expect(sent.map(({ subject }) => subject)).toEqual([undefined, 'u1', 'u2']);
    expect(sent[0]).toEqual(messageFor('follow-maps', { ...set, after: 'u2' }, 'ns/7/MODIFIED'));
  });

  it('ends with the last page, which may be empty', async () => {
    expect((await expanded('u4')).map(({ subject }) => subject)).toEqual(['u5']);
    expect(await expanded('u5')).toEqual([]);
  });
});

describe('openOutages', () => {
  const watched = () => ({
    name: 'queue',
    conditions: conditionsRecorded(),
    log: logRecorded(),
    random: () => 0,
  });

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
});
