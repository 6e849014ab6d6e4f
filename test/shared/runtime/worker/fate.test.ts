import { describe, expect, it } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { conflict, done, giveUp, later, retry } from '#shared/domain/outcome.ts';
import type { Ran } from '#shared/runtime/reconcile.ts';
import { fateOf } from '#shared/runtime/worker/fate.ts';
import { messageOf } from '#test/support/working.ts';

const message = messageOf();

describe('fateOf', () => {
  it.each<[Ran, number, object]>([
    [done, 0, { kind: 'settle' }],
    [giveUp('never'), 0, { kind: 'bury', why: 'never' }],
    [{ kind: 'undecodable', why: 'no JSON' }, 0, { kind: 'bury', why: 'no JSON' }],
    [later(60), 3, wakeup('later', 60_000, 0)],
    [later(0), 0, wakeup('later', 1_000, 0)],
    [later(Number.NaN), 0, wakeup('later', 1_000, 0)],
    [later(-5), 0, wakeup('later', 1_000, 0)],
    [later(Number.POSITIVE_INFINITY), 0, wakeup('later', 2_592_000_000, 0)],
    [retry('away'), 0, wakeup('retry', 2_000, 1)],
    [retry('away'), 3, wakeup('retry', 16_000, 4)],
    [retry('away'), 400, wakeup('retry', 300_000, 401)],
    // By hand somebody may write as many as a column of Postgres can count.
    [retry('away'), 2_147_483_647, wakeup('retry', 300_000, 100_000_000)],
    [conflict('again'), 0, wakeup('retry', 2_000, 1)],
  ])('of %o after %i attempts is as it should be', (ran, attempt, expected) => {
    expect(fateOf(ran, { message, attempt, random: 1 })).toEqual(expected);
  });

  it('of a period that is given up is no letter, since it comes again', () => {
    const period = messageFor('f', { kind: 'period', function: 'f' }, 'f/period');
    const tried = { message: period, attempt: 0, random: 1 };
    expect(fateOf(giveUp('never'), tried)).toEqual({ kind: 'settle' });
    expect(fateOf({ kind: 'undecodable', why: 'no JSON' }, tried)).toMatchObject({ kind: 'bury' });
  });

  it.each([retry('away'), later(5)])('of %o is a burial where no queue could hold it', (ran) => {
    const odd = messageOf({ name: 'a\0b' });
    expect(fateOf(ran, { message: odd, attempt: 0, random: 1 })).toEqual({
      kind: 'bury',
      why: 'it cannot be run again: group has a NUL',
    });
  });

  it('spreads those that failed together', () => {
    const at = (random: number) => fateOf(retry('away'), { message, attempt: 5, random });
    expect(at(0)).toMatchObject({ wakeup: { afterMs: 32_000 } });
    expect(at(1)).toMatchObject({ wakeup: { afterMs: 64_000 } });
  });
});

function wakeup(reason: string, afterMs: number, attempt: number) {
  return { kind: 'schedule', wakeup: { message: { ...message, attempt }, reason, afterMs } };
}
