import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChallenge } from '#shared/adapters/notary/challenge.ts';

const realm = 'https://auth.example/token';
const bearer = (service?: string) => ({ kind: 'bearer', realm, service });

describe('readChallenge', () => {
  it.each([
    [`Bearer realm="${realm}",service="notary"`, bearer('notary')],
    [`bearer  realm="${realm}" , service=notary, scope="a:b,c"`, bearer('notary')],
    [`Bearer service="a\\"b",realm="${realm}"`, bearer('a"b')],
    [`Bearer realm="${realm}"`, bearer()],
    ['Basic realm="x"', { kind: 'basic' }],
    ['basic', { kind: 'basic' }],
    ['Bearer', undefined],
    ['Bearer service="x"', undefined],
    [`Bearer realm="${realm}`, undefined],
    ['Digest realm="x"', undefined],
    [`Bearerish realm="${realm}"`, undefined],
    ['', undefined],
    [`Bearer realm="${'a'.repeat(5_000)}"`, undefined],
  ])('understands %j', (header, expected) => {
    expect(readChallenge(header)).toEqual(expected);
  });

  it('answers for whatever a server writes, and soon', () => {
    const piece = fc.constantFrom('Bearer ', 'realm=', '"', '\\', ',', ' ', '=', 'x', 'service="');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const challenge = readChallenge(pieces.join(''));
        expect(['bearer', 'basic', undefined]).toContain(challenge?.kind);
      }),
      { seed: 61_008, numRuns: 500 },
    );
  });
});
