import { describe, expect, it } from 'vitest';
import type { Again } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import { done, giveUp, retry } from '#shared/domain/outcome.ts';
import { type Found, planSet, type SetPlan } from '#shared/runtime/worker/plan-set.ts';

const at = { cluster: 'blue', group: '', resource: 'pods', namespace: 'team-a' };
const set = { kind: 'set', ...at, after: '' } as const;
const member = { namespace: 'team-a', name: 'web', uid: 'u1' };
const found = (now: number, heardAt: number) => ({ members: [member], now, heardAt });

describe('a set', () => {
  const look = { set: { ...set, again: { whom: 'newcomers', since: 75_000 } }, afterMs: 91_000 };
  const all = { kind: 'expand', set, page: [member], look } as const;
  const newcomers: Again = { whom: 'newcomers', since: 75_000 };
  const everybody: Again = { whom: 'all', since: 90_000 };
  const one = (again: Again) => ({ ...set, again });
  const end = (outcome: object) => ({ kind: 'end', outcome });
  const onlyNew = { kind: 'expand', set: one(newcomers), page: [member] };
  const waiting = { set: one({ whom: 'all', since: 104_000 }), afterMs: 60_000 };

  it.each<[string, Again | undefined, Found, object]>([
    [
      'is expanded at once, however long ago its kind was heard of',
      undefined,
      found(104_000, 0),
      all,
    ],
    [
      'waits for the list of its kind',
      undefined,
      'unknown',
      end(retry('not all pods are listed yet')),
    ],
    ['ends by a look at who came later', newcomers, found(104_000, 105_000), onlyNew],
    [
      'waits for a kind that is behind',
      newcomers,
      found(104_000, 104_999),
      { ...end(done), look: waiting },
    ],
    ['waits on', everybody, found(104_000, 89_999), end(retry('whoever follows pods is behind'))],
    ['begins anew when its kind is heard of again', everybody, found(104_000, 90_000), all],
    [
      'that was expanded ends where nobody follows its kind any more',
      newcomers,
      'unfollowed',
      end(done),
    ],
    ['that waits for its kind ends with it', everybody, 'unfollowed', end(done)],
  ])('%s', (_, again, of, expected) => {
    expect(planSet({ ...set, ...(again && { again }) }, of, 0)).toEqual(expected);
  });

  it('of a kind that nobody follows is put aside after a quarter of an hour', () => {
    const why = 'nobody follows the pods that it is of';
    const plans = [9, 10].map((attempt) => planSet(set, 'unfollowed', attempt));
    expect(plans).toEqual([end(retry(why)), end(giveUp(why))]);
  });

  it('goes on after a page as it is', () => {
    const rest = { ...one(newcomers), after: 'u0' };
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
    const keys = [set, one(newcomers), one({ ...newcomers, since: 90_000 }), one(everybody)].map(
      (each) => messageFor('follow', each, 'e').mergeKey,
    );
    expect(new Set(keys).size).toBe(4);
  });
});
