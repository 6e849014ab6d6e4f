import { describe, expect, it } from 'vitest';
import { judgeOf } from '#test/bench/support/answer.ts';

const uids = ['7c9e6679-7425-40de-944b-000000000001', '7c9e6679-7425-40de-944b-000000000002'];
const [uid = '', otherUid = ''] = uids;

type Said = { readonly uid?: string; readonly allowed?: boolean; readonly patch?: string };

function answer({ uid: said = uid, allowed = true, patch = '/spec/affinity' }: Said = {}): Buffer {
  const encoded = Buffer.from(patch).toString('base64');
  return Buffer.from(JSON.stringify({ response: { uid: said, allowed, patch: encoded } }));
}

describe('the judge of answers', () => {
  it('takes a right answer, and the same one with another uid', () => {
    const judge = judgeOf(['/spec/affinity']);
    expect(judge(uid, 200, answer())).toBeUndefined();
    expect(judge(otherUid, 200, answer({ uid: otherUid }))).toBeUndefined();
  });

  it.each<[string, number, Said, string]>([
    ['another status', 500, {}, 'HTTP 500'],
    ['the uid of another request', 200, { uid: otherUid }, 'answered uid'],
    ['a refusal', 200, { allowed: false }, 'not allowed'],
    ['no patch', 200, { patch: '' }, 'unmutated'],
    ['another patch', 200, { patch: '/spec/nodeName' }, 'unmutated'],
  ])('refuses %s, as the first answer and after a right one', (_, status, said, why) => {
    const judge = judgeOf(['/spec/affinity']);
    expect(judge(uid, status, answer(said))).toContain(why);
    expect(judge(uid, 200, answer())).toBeUndefined();
    expect(judge(uid, status, answer(said))).toContain(why);
  });
});
