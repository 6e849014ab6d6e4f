import { describe, expect, it } from 'vitest';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { mergeJudgements } from '#shared/domain/image-trust/merge-judgements.ts';
import type { Remark } from '#shared/domain/image-trust/remark.ts';

const trustedBy = (server: string, until: string, ...remarks: Remark[]): Judgement => ({
  kind: 'trusted',
  digest: 'sha256:x',
  children: [],
  by: { verifier: 'notary', server, name: 'n', keys: [] },
  until: new Date(until),
  remarks,
});
const good = trustedBy('one', '2031-01-01');
const away: Judgement = { kind: 'unavailable', why: 'notary', note: 'away' };
const bad: Judgement = { kind: 'untrusted', why: 'bad-proof', note: 'bad' };

describe('of several verifiers', () => {
  it.each<[string, 'all' | 'either', readonly [Judgement, ...Judgement[]], string]>([
    ['all vouch', 'all', [good, good], 'trusted'],
    ['one refuses', 'all', [good, bad], 'untrusted'],
    ['one refuses and one is away', 'all', [away, bad, good], 'untrusted'],
    ['one is away', 'all', [good, away], 'unavailable'],
    ['one vouches and one refuses', 'either', [bad, good], 'trusted'],
    ['one vouches and one is away', 'either', [away, good], 'trusted'],
    ['one refuses, another is away', 'either', [bad, away], 'unavailable'],
    ['all refuse', 'either', [bad, bad], 'untrusted'],
  ])('given %s, with need %s', (_, need, judgements, kind) => {
    expect(mergeJudgements(judgements, need).kind).toBe(kind);
    const [first, ...rest] = judgements.toReversed();
    if (first !== undefined) expect(mergeJudgements([first, ...rest], need).kind).toBe(kind);
  });

  it('all of whom vouch, the shorter proof counts, and every remark is told', () => {
    const merged = mergeJudgements(
      [
        trustedBy('a', '2032-01-01', 'first-use'),
        trustedBy('b', '2031-01-01', 'unseen', 'first-use'),
      ],
      'all',
    );
    expect(merged).toMatchObject({
      until: new Date('2031-01-01'),
      remarks: ['first-use', 'unseen'],
    });
  });
});
