import { describe, expect, it } from 'vitest';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import {
  asStored,
  isFresh,
  servesRefused,
  standingIn,
  stillServes,
  timesOf,
  type Verdict,
} from '#shared/domain/image-trust/verdict.ts';

const now = new Date('2030-01-01T00:00:00Z');
const lifetimes = { freshMs: 300_000, untrustedMs: 60_000, unavailableMs: 5_000 };
const later = (ms: number) => new Date(now.getTime() + ms);

function trusted(untilMs: number): Judgement {
  return {
    kind: 'trusted',
    digest: 'sha256:x',
    children: [],
    by: { verifier: 'notary', server: 's', name: 'n', keys: [] },
    until: later(untilMs),
    remarks: [],
  };
}
const away: Judgement = { kind: 'unavailable', why: 'notary', note: '' };
const refused: Judgement = { kind: 'untrusted', why: 'notary-refused', note: '' };
const bad: Judgement = { kind: 'untrusted', why: 'bad-proof', note: '' };

describe('the times of a verdict', () => {
  it.each<[string, Judgement, number, number, number]>([
    ['trust is fresh for five minutes and valid until its proof ends', trusted(9e6), 0, 3e5, 9e6],
    ['trust is never fresh longer than its proof', trusted(1_000), 0, 1_000, 1_000],
    ['a refusal lives a minute', bad, 0, 60_000, 60_000],
    ['one to be shown anything lives as an outage does', refused, 1, 5_000, 5_000],
    ['an outage lives a second at least', away, 0, 1_000, 1_000],
    ['an outage lives five seconds at most', away, 1, 5_000, 5_000],
  ])('say that %s', (_, judgement, chance, fresh, valid) => {
    expect(timesOf(judgement, { now, lifetimes, chance })).toEqual({
      freshUntil: later(fresh),
      validUntil: later(valid),
    });
  });
});

describe('a verdict that is fresh no more', () => {
  const verdict = (judgement: Judgement) => ({
    ...{ tag: '1', digest: 'sha256:x', also: [], judgement },
    ...timesOf(judgement, { now, lifetimes, chance: 0 }),
  });

  it.each<[string, Judgement, number, boolean]>([
    ['while its proof holds', trusted(9e6), 4e5, true],
    ['not on the instant at which it ends', trusted(9e6), 9e6, false],
    ['not where it was a refusal', bad, 1, false],
  ])('serves in an outage %s', (_, judgement, ms, serves) => {
    expect(stillServes(verdict(judgement), later(ms))).toBe(serves);
  });

  it('says so once, and is asked about again soon, never later than its proof ends', () => {
    const once = standingIn(verdict(trusted(9e6)), { freshUntil: later(4e5) });
    const twice = standingIn(once, { freshUntil: later(8e7) });
    expect(twice.judgement).toMatchObject({ remarks: ['not-asked-again'] });
    expect(isFresh(once, later(399_999))).toBe(true);
    expect(isFresh(once, later(4e5))).toBe(false);
    expect(twice.freshUntil).toEqual(later(9e6));
  });
});

describe('a verdict that its registry shows to nobody any more', () => {
  const hour = 3_600_000;
  const proven = (untilMs: number): Verdict => ({
    ...{ tag: '1', digest: 'sha256:x', also: [], judgement: trusted(untilMs) },
    ...timesOf(trusted(untilMs), { now, lifetimes, chance: 0 }),
  });
  const outage = (ms: number, verdict = proven(9e9)) =>
    standingIn(verdict, { freshUntil: later(ms) });

  it.each<[string, ReturnType<typeof proven>, number, number]>([
    ['for an hour after it was fresh', proven(9e9), hour, 3e5 + hour],
    ['however often it stood in since', outage(8e6, outage(2e6)), hour, 3e5 + hour],
    ['never past its proof', proven(1e6), hour, 1e6],
    ['for an hour, however often pods are looked at', proven(9e9), 1_000, 3e5 + hour],
    ['for an hour, where no pod is ever looked at', proven(9e9), 0, 3e5 + hour],
    ['until the next look, where pods are looked at less often', proven(9e9), 6e7, 3e5 + 6e7],
  ])('serves who is refused %s', (_, verdict, periodMs, endMs) => {
    expect(servesRefused(verdict, later(endMs - 1), periodMs)).toBe(true);
    expect(servesRefused(verdict, later(endMs), periodMs)).toBe(false);
  });
});

it('a verdict that was heard of at a time that is yet to come serves nobody who is refused', () => {
  const ahead = standingIn(
    { ...{ tag: '1', digest: 'sha256:x', also: [] }, ...proofAt(later(20_000)) },
    { freshUntil: later(-1) },
  );
  expect(servesRefused(ahead, later(10_000), 0)).toBe(true);
  expect(servesRefused(ahead, later(9_999), 0)).toBe(false);
});

function proofAt(freshUntil: Date) {
  return { judgement: trusted(9e9), freshUntil, validUntil: later(9e9) };
}

describe('a verdict of another clock', () => {
  const by = (judgement: Judgement, chance = 1) => ({
    ...{ tag: '1', digest: 'sha256:x', also: [], judgement },
    ...timesOf(judgement, { now, lifetimes, chance }),
  });

  it.each<[string, Judgement]>([
    ['trust', trusted(9e6)],
    ['a refusal', bad],
    ['one to be shown anything', refused],
    ['an outage', away],
  ])(
    'is believed for ten seconds more than one of our own, and is old beyond: %s',
    (_, judgement) => {
      const verdict = by(judgement);
      const ago = (ms: number) => new Date(now.getTime() - ms);
      expect(asStored(verdict, ago(10_000), lifetimes)).toEqual(verdict);
      expect(asStored(verdict, ago(10_001), lifetimes)).toEqual({
        ...verdict,
        freshUntil: new Date(0),
      });
    },
  );
});
