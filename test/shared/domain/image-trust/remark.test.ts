import { describe, expect, it } from 'vitest';
import { type Remark, remarkText } from '#shared/domain/image-trust/remark.ts';

const notary = { verifier: 'notary', server: 'https://n', name: 'a.io/web:1', keys: [] } as const;
const cosign = { ...notary, verifier: 'cosign', server: 'release-team' } as const;

describe('what is told of a signed image', () => {
  it.each<[Remark, string]>([
    ['config-digest', "signed is its configuration's digest, which is deprecated"],
    ['first-use', 'its root at https://n was seen for the first time and trusted'],
    ['unseen', 'its registry has not shown it, its digest is signed'],
    ['expiring', 'what proves it expires soon, and has to be signed anew'],
    ['not-asked-again', 'nobody could be asked again'],
  ])('by %s is a sentence', (remark, sentence) => {
    expect(remarkText(remark, notary)).toBe(sentence);
  });

  it('names no Notary where another verifier stands for all of them', () => {
    const told = remarkText('first-use', cosign);
    expect(told).toBe('its root was seen for the first time and trusted');
  });

  it.each(['a sentence of the version before', 'constructor'])('keeps %s as it stands', (old) => {
    expect(remarkText(old as Remark, notary)).toBe(old);
  });
});
