import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, type From } from '#events/postgres-queue/floors.ts';
import { type Claim, sharedClaims } from '#events/postgres-queue/shared-claims.ts';
import type { Delivery, Receiving } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

const receiving = (
  functions: readonly string[],
  max: number,
  visibilityMs = 60_000,
): Receiving => ({
  ...{ functions, max, visibilityMs, waitMs: 0 },
});

/** There are so many, and the oldest come first. */
function claimsOf(count: number) {
  const asked: { readonly receiving: Receiving; readonly from: From }[] = [];
  const waiting = Array.from({ length: count }, (_, at) => ({ id: String(at) }) as Delivery);
  const claim: Claim = async (one, from) => {
    asked.push({ receiving: one, from });
    return waiting.splice(0, one.max);
  };
  return { asked, claim: sharedClaims(claim) };
}

const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

describe('claims', () => {
  it('are shared by those who ask at the same time, each for as many as he wanted', async () => {
    const { asked, claim } = claimsOf(6);
    const handed = await Promise.all(
      [1, 3, 4].map((max) => claim(receiving(['f', 'g'], max), beginning)),
    );
    expect(handed.map(idsOf)).toEqual([['0'], ['1', '2', '3'], ['4', '5']]);
    expect(asked.map((each) => each.receiving)).toEqual([receiving(['f', 'g'], 8)]);
  });

  it('look from the lowest floor of all, and from the beginning where one knows none', async () => {
    const { asked, claim } = claimsOf(0);
    const from = (...floors: readonly [string, number][]) => new Map(floors);
    await Promise.all([
      claim(receiving(['f', 'g'], 1), from(['f', 20], ['g', 30])),
      claim(receiving(['f', 'g'], 1), from(['f', 10])),
    ]);
    expect(asked.map((each) => each.from)).toEqual([from(['f', 10], ['g', 0])]);
  });

  it.each([
    ['other functions', receiving(['g'], 1)],
    ['more functions', receiving(['f', 'g'], 1)],
    ['another visibility', receiving(['f'], 1, 5_000)],
  ])('are not shared with whoever wants %s', async (_, other) => {
    const { asked, claim } = claimsOf(0);
    const mine = receiving(['f'], 1);
    await Promise.all([mine, mine, other, mine].map((each) => claim(each, beginning)));
    expect(asked.map((each) => each.receiving)).toEqual([receiving(['f'], 2), other, mine]);
  });
});

describe('on Postgres', () => {
  let stage: PostgresStage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it('eight that receive at once are two transactions, and nobody gets what another one has', async () => {
    await stage.queue.send(
      Array.from({ length: 20 }, (_, at) => ({
        ...{ function: 'f', group: `g${at}`, type: 'test.v1', body: '{}', eventId: `e${at}` },
      })),
    );
    // To empty hands one claim goes at a time.
    const first = await stage.queue.receive(receiving(['f'], 1));
    const others = await Promise.all(
      Array.from({ length: 8 }, () => stage.queue.receive(receiving(['f'], 2))),
    );
    expect(others.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2, 2, 2, 2]);
    const all = [...first, ...others.flat()];
    expect(new Set(all.map(({ group }) => group)).size).toBe(17);
    const [found] = await stage.sql<{ claims: number }[]>`
      select count(distinct xmin::text)::int as claims from queue_groups where is_claimed`;
    expect(found).toEqual({ claims: 3 });
    expect(await stage.queue.settle(all.map(({ receipt }) => receipt))).not.toContain(false);
  });
});
