import { describe, expect, it } from 'vitest';
import { decode } from '#shared/domain/decode.ts';
import { isIdentity, isPattern } from '#shared/domain/image-trust/cosign/identity.ts';
import { authorities } from '#shared/domain/image-trust/cosign/settings.ts';
import { keySigner } from '#test/support/cosign/signing.ts';

const { pem } = keySigner();
const keyless = { issuer: 'https://issuer.test', identity: 'https://ci.test/a' };

function problemsOf(stated: unknown): readonly string[] {
  const read = decode(authorities, stated);
  return read.ok ? [] : read.problems.map(({ path, expected }) => `${path}: ${expected}`);
}

describe('the authorities of the settings', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['none', undefined, []],
    ['keys', [{ name: 'a', keys: [pem] }], []],
    ['an identity', [{ name: 'a', keyless }], []],
    ['neither', [{ name: 'a' }], ['$[0]: either keys or keyless']],
    ['both', [{ name: 'a', keys: [pem], keyless }], ['$[0]: either keys or keyless']],
    [
      'a name twice',
      [
        { name: 'a', keyless },
        { name: 'a', keyless },
      ],
      ['$: no name twice'],
    ],
    [
      'a key that is none',
      [{ name: 'a', keys: ['x'] }],
      ['$[0].keys[0]: a public key in PEM form'],
    ],
    [
      'a private key',
      [{ name: 'a', keys: [pem.replaceAll('PUBLIC', 'PRIVATE')] }],
      ['$[0].keys[0]: a public key in PEM form'],
    ],
    [
      'an issuer alone',
      [{ name: 'a', keyless: { issuer: 'x' } }],
      ['$[0].keyless: either an identity or an identityPattern'],
    ],
    [
      'a pattern that cannot be read',
      [{ name: 'a', keyless: { issuer: 'x', identityPattern: '(' } }],
      ['$[0].keyless.identityPattern: a regular expression'],
    ],
    [
      'no time to serve for',
      [{ name: 'a', keyless, servesFor: '0s' }],
      ['$[0].servesFor: a duration such as 24h'],
    ],
  ])('given %s, say what is wrong', (_, stated, expected) => {
    expect(problemsOf(stated)).toEqual(expected);
  });
});

describe('an identity', () => {
  const subject = 'https://ci.test/a';
  const wanted = { issuer: 'https://issuer.test', identity: '', identityPattern: '' };

  it.each<[string, Partial<typeof wanted>, string, boolean]>([
    ['the very one', { identity: subject }, subject, true],
    ['one that goes on', { identity: subject }, `${subject}/b`, false],
    ['one in other letters', { identity: subject }, subject.toUpperCase(), false],
    ['a whole match', { identityPattern: 'https://ci\\.test/[ab]' }, subject, true],
    ['a match inside', { identityPattern: 'https://ci\\.test/a' }, `x${subject}`, false],
    ['a match of one alternative', { identityPattern: 'https|.*a' }, 'https://x', false],
    ['a match of one line', { identityPattern: '.*a' }, `evil\n${subject}`, false],
    ['neither stated', {}, subject, false],
    ['no issuer wanted', { issuer: '', identity: subject }, subject, false],
    ['nobody', { identityPattern: '.*' }, '', false],
    ['one without end', { identityPattern: '.*' }, 'a'.repeat(2_001), false],
  ])('is compared with %s', (_, more, found, expected) => {
    const issuer = more.issuer ?? wanted.issuer;
    expect(isIdentity({ ...wanted, ...more }, { subject: found, issuer })).toBe(expected);
  });

  it('is no pattern where its text is none', () => {
    expect(['(', '', 'a)|(b', '[', 'a'].map(isPattern)).toEqual([false, false, false, false, true]);
  });
});
