import { describe, expect, it } from 'vitest';
import { type CertificateReader, isTrusted } from '#shared/domain/certificates/certificate.ts';

/** `leaf<middle` was issued by `middle<root`, which was issued by `root`. */
const reader: CertificateReader = {
  read: () => undefined,
  matches: () => true,
  isIssuedBy: (certificate, ca) => certificate.split('<')[1] === ca.split('<')[0],
};

describe('isTrusted', () => {
  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['a leaf of a trusted CA', ['leaf<root'], ['other', 'root'], true],
    ['a leaf of another CA', ['leaf<root'], ['other'], false],
    ['a leaf whose intermediate was sent along', ['leaf<middle', 'middle<root'], ['root'], true],
    ['a leaf whose intermediate was not', ['leaf<middle'], ['root'], false],
    ['intermediates in any order', ['leaf<a', 'b<root', 'a<b'], ['root'], true],
    ['intermediates that issue each other', ['leaf<a', 'a<b', 'b<a'], ['root'], false],
    [
      'a trusted intermediate that did not issue the leaf',
      ['leaf<x', 'middle<root'],
      ['root'],
      false,
    ],
    ['nothing', [], ['root'], false],
    ['a leaf, by nobody', ['leaf<root'], [], false],
  ])('accepts or refuses %s', (_, chain, authorities, expected) => {
    expect(isTrusted(reader, chain, authorities)).toBe(expected);
  });
});
