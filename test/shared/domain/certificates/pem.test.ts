import { describe, expect, it } from 'vitest';
import {
  bundleOf,
  certificatesIn,
  fromBase64,
  isSameBundle,
  toBase64,
} from '#shared/domain/certificates/pem.ts';

const body = 'QUJD'.repeat(20);
const a = pem(`${body.slice(0, 64)}\n${body.slice(64)}`);
const b = pem('REVG');

describe('a bundle', () => {
  it.each([
    ['as it is', a, [a]],
    ['with other line ends', a.replaceAll('\n', '\r\n'), [a]],
    ['with other line lengths', pem(body), [a]],
    [
      'among remarks and keys',
      `# ca\n${a}-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n${b}`,
      [a, b],
    ],
    ['torn in the middle of the second', `${a}${b.slice(0, 40)}`, [a]],
    ['of nothing', '', []],
  ])('is read %s', (_, text, expected) => {
    expect(certificatesIn(text)).toEqual(expected);
  });

  it('names each certificate once, in the order of their first naming', () => {
    expect(bundleOf(b, undefined, `${a}${b}`, '')).toBe(`${b}${a}`);
  });

  it.each([
    ['in another order', `${a}${b}`, `${b}${a}`, true],
    ['with one named twice', `${a}${a}${b}`, `${b}${a}`, true],
    ['with one missing', `${a}${b}`, a, false],
    ['with one too many', a, `${a}${b}`, false],
    ['with another instead', a, b, false],
  ])('%s is or is not the same', (_, left, right, expected) => {
    expect(isSameBundle(left, right)).toBe(expected);
  });
});

describe('base64', () => {
  it.each([a, 'x', 'xy', 'xyz', ''])('comes back as it was: %#', (text) => {
    expect(fromBase64(toBase64(text))).toBe(text);
  });

  it.each(['%', 'a', 'a===', '-_-_', 'QQ==QQ=='])('reads %s as nothing', (text) => {
    expect(fromBase64(text)).toBe('');
  });
});

function pem(text: string): string {
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}
