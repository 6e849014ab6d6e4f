import { describe, expect, it } from 'vitest';
import { restartsInMemory } from '#infra/emulator/testing/restarts-in-memory.ts';
import { pauseMs } from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import type { Restarts } from '#shared/ports.ts';
import { campaignOf } from '#test/contracts/restarts.ts';
import { policy } from './samples.ts';

/** How 50 owners with ever more pods are visited. */
type Visits = {
  readonly perMinute: number;
  /** From one round to the next: whoever's time has come meanwhile waits for it. */
  readonly everyMs: number;
  /** Once a minute nobody is visited for so long. */
  readonly stallMs: number;
};
const minutes = 5;
const replacedMs = 1_500;

type Owner = { readonly owner: string; atMs: number; count: number; isNew: boolean };

/** When pods went. Who has a turn to come comes at the next whole second, as a message does. */
async function evictions({ perMinute, everyMs, stallMs }: Visits): Promise<readonly number[]> {
  const settings = { ...policy.settings, perMinute, jitterPercent: 0 };
  let now = 1_000_000;
  const begin = now;
  const restarts = restartsInMemory({ now: () => now });
  const owners = Array.from({ length: 50 }, (_, at): Owner => {
    return { owner: `owner-${at}`, atMs: now, count: 0, isNew: true };
  });
  const went: number[] = [];
  for (; now < begin + minutes * 60_000; now += everyMs) {
    if ((now - begin) % 60_000 < everyMs) now += stallMs;
    for (const each of owners.filter(({ atMs }) => atMs <= now)) {
      if (await visit(restarts, each, { now, settings })) went.push(now);
    }
  }
  return went;
}

type Visit = { readonly now: number; readonly settings: typeof policy.settings };

/** Whether its pod may go. */
async function visit(restarts: Restarts, each: Owner, { now, settings }: Visit): Promise<boolean> {
  const { owner, isNew } = each;
  const uid = `${owner}-${each.count}`;
  const campaign = campaignOf({ owner, intent: { uid, name: uid } });
  const revision = (await restarts.find(owner, 'team-a'))?.revision ?? 0;
  const on = { revision, pauseMs: pauseMs(uid, settings) };
  const turn = await (isNew ? restarts.intend(campaign, on) : restarts.takeTurn(owner, on));
  const { waitMs = 0 } = turn ?? {};
  const goes = waitMs === 0;
  each.isNew = goes;
  each.atMs = now + (goes ? replacedMs : Math.ceil(waitMs / 1_000) * 1_000);
  each.count += goes ? 1 : 0;
  return goes;
}

/** The most that went within any minute. */
function mostInAMinute(went: readonly number[]): number {
  return Math.max(
    ...went.map((from) => went.filter((at) => at >= from && at < from + 60_000).length),
  );
}

describe('the rate of evictions', () => {
  it.each<[string, Visits]>([
    ['when owners are visited at once', { perMinute: 300, everyMs: 50, stallMs: 0 }],
    ['when rounds take two and a half seconds', { perMinute: 300, everyMs: 2_500, stallMs: 0 }],
    ['when nobody comes for a while', { perMinute: 300, everyMs: 100, stallMs: 2_500 }],
    ['by its default', { perMinute: 60, everyMs: 2_500, stallMs: 0 }],
    ['when it is low', { perMinute: 4, everyMs: 2_500, stallMs: 0 }],
  ])('is reached, and never exceeded in any minute, %s', async (_, visits) => {
    const went = await evictions(visits);
    const { perMinute } = visits;
    expect(mostInAMinute(went)).toBeLessThanOrEqual(perMinute);
    expect(went.length / minutes / perMinute).toBeGreaterThanOrEqual(0.93);
  });

  it('is not made up for after a long time in which nobody went', async () => {
    const went = await evictions({ perMinute: 300, everyMs: 100, stallMs: 20_000 });
    expect(mostInAMinute(went)).toBeLessThanOrEqual(300);
  });
});
