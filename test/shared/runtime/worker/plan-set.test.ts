import { describe, expect, it } from 'vitest';
import type { Again } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import { done, giveUp, retry } from '#shared/domain/outcome.ts';
import { type Found, planSet, type SetPlan } from '#shared/runtime/worker/plan-set.ts';

const at = { cluster: 'blue', group: '', resource: 'pods', namespace: 'team-a' };
const set = { kind: 'set', ...at, after: '' } as const;
const member = { namespace: 'team-a', name: 'web', uid: 'u1' };
const found = (now: number, caughtUpAt: number) => ({ members: [member], now, caughtUpAt });

describe('a set', () => {
  const look = { set: { ...set, again: { since: 75_000 } }, afterMs: 151_000 };
  const all = { kind: 'expand', set, page: [member], look } as const;
  const again: Again = { since: 75_000 };
  const one = (of: Again) => ({ ...set, again: of });
  const end = (outcome: object) => ({ kind: 'end', outcome });
  const onlyNew = { kind: 'expand', set: one(again), page: [member] };
  const behind = retry('the mirror is not known to have all pods of then yet');
  const unlisted = retry('not all pods are listed yet');
  const unfollowed = retry('nobody follows the pods that it is of');

  it.each<[string, Again | undefined, Found, object]>([
    ['is expanded at once, however far behind its kind is', undefined, found(104_000, 0), all],
    ['waits for the list of its kind', undefined, 'unknown', end(unlisted)],
    ['ends by a look at who came later', again, found(255_000, 105_000), onlyNew],
    ['waits for a kind that is behind', again, found(255_000, 104_999), end(behind)],
    ['waits for a kind that is listed anew', again, 'unknown', end(unlisted)],
    ['waits for who follows its kind', again, 'unfollowed', end(unfollowed)],
    [
      'that somebody hastens is looked at no earlier',
      again,
      found(104_000, 104_000),
      { ...end(done), look: { set: one(again), afterMs: 151_000 } },
    ],
    [
      'is expanded anew where the clock was set back since',
      again,
      found(74_000, 74_000),
      { ...end(done), look: { set, afterMs: 0 } },
    ],
    [
      'waits where its kind was last heard of by a clock that was set back',
      again,
      found(255_000, 255_001),
      end(behind),
    ],
  ])('%s', (_, of, known, expected) => {
    expect(planSet({ ...set, ...(of && { again: of }) }, known, 0)).toEqual(expected);
  });

  it('of a kind that nobody follows is put aside after eight hours', () => {
    const why = 'nobody follows the pods that it is of';
    const plans = [99, 100].map((attempt) => planSet(set, 'unfollowed', attempt));
    expect(plans).toEqual([end(retry(why)), end(giveUp(why))]);
  });

  it.each<[string, Found, typeof behind]>([
    ['follows its kind', 'unfollowed', unfollowed],
    ['lists its kind', 'unknown', unlisted],
    ['catches up', found(255_000, 0), behind],
  ])('that was expanded is put aside after a day in which nobody %s', (_, known, waits) => {
    const why = `${'why' in waits && waits.why}, for a day: redrive this once that is mended`;
    const plans = [299, 300].map((attempt) => planSet(one(again), known, attempt));
    expect(plans).toEqual([end(waits), end(giveUp(why))]);
  });

  it('goes on after a page as it is', () => {
    const rest = { ...one(again), after: 'u0' };
    expect(planSet(rest, found(104_000, 0), 0)).toEqual({
      kind: 'expand',
      set: rest,
      page: [member],
    });
  });

  it('is looked at again no more than four times a minute, whatever happens in it', () => {
    const messageOf = (plan: SetPlan) => plan.look && messageFor('follow', plan.look.set, 'e');
    const looks = [90_000, 97_000, 104_999, 105_000].map((now) => {
      return messageOf(planSet(set, found(now, now), 0));
    });
    expect(new Set(looks.map((message) => message?.mergeKey)).size).toBe(2);
    expect(looks[0]).toEqual(looks[2]);
  });

  it('that is looked at again never stands for the whole set on the queue', () => {
    const keys = [set, one(again), one({ since: 90_000 })].map(
      (each) => messageFor('follow', each, 'e').mergeKey,
    );
    expect(new Set(keys).size).toBe(3);
  });
});
