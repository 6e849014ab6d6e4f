import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#shared/domain/pod-bootstrap/sha-256.ts';

describe('the hash of a text', () => {
  it('is the one that upstream stamps on pods', () => {
    expect(sha256('hello')).toBe(
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    );
  });

  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 100_000])('is right for %i letters', (length) => {
    const source = 'ä'.repeat(length);
    expect(sha256(source)).toBe(createHash('sha256').update(source).digest('hex'));
  });

  it('is the one that everybody else computes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (source) => {
        expect(sha256(source)).toBe(createHash('sha256').update(source).digest('hex'));
      }),
      { numRuns: 200 },
    );
  });
});
