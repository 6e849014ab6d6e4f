import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges } from '#shared/domain/registry/challenge.ts';

function plain(header: string) {
  return parseChallenges(header).map(({ scheme, parameters }) => [
    scheme,
    Object.fromEntries(parameters),
  ]);
}

describe('the challenges of a header', () => {
  it.each<[string, string, readonly unknown[]]>([
    [
      "Docker's own",
      'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"',
      [
        [
          'bearer',
          {
            realm: 'https://auth.docker.io/token',
            service: 'registry.docker.io',
            scope: 'repository:a/b:pull,push',
          },
        ],
      ],
    ],
    ['of any case', 'BASIC Realm="x"', [['basic', { realm: 'x' }]]],
    [
      'two of one header',
      'Basic realm="a, b", Bearer realm="c",service=d',
      [
        ['basic', { realm: 'a, b' }],
        ['bearer', { realm: 'c', service: 'd' }],
      ],
    ],
    [
      'one without parameters, one with a token, one with a name',
      'Negotiate, NTLM abc==, Basic realm="x"',
      [
        ['negotiate', {}],
        ['ntlm', {}],
        ['basic', { realm: 'x' }],
      ],
    ],
    [
      'with blanks around',
      ' Basic  realm = "x" , charset="UTF-8" ',
      [['basic', { realm: 'x', charset: 'UTF-8' }]],
    ],
    ['with empty parts', ',Basic realm="x",,charset=y,', [['basic', { realm: 'x', charset: 'y' }]]],
    [
      'with quotes in quotes',
      'Basic realm="say \\"hi\\", \\\\o"',
      [['basic', { realm: 'say "hi", \\o' }]],
    ],
    [
      'a realm without quotes',
      'Bearer realm=https://a.test/token',
      [['bearer', { realm: 'https://a.test/token' }]],
    ],
    ['an empty value', 'Basic realm=""', [['basic', { realm: '' }]]],
    ['none', '', []],
  ])('are read: %s', (_, header, expected) => {
    expect(plain(header)).toEqual(expected);
  });

  it.each([
    ['a quote is not closed', 'Bearer realm="https://a.test'],
    ['a second realm is named', 'Bearer realm="https://a.test",realm="https://b.test"'],
    ['a second realm in another case', 'Bearer realm="https://a.test",REALM="https://b.test"'],
    ['nothing stands between two', 'Bearer realm="a" Basic realm="b"'],
    ['one has no name', '="x"'],
    ['there is noise behind', 'Basic realm="x"; Bearer realm="y"'],
    ['there is a line in it', 'Basic realm=x\n, Bearer realm="y"'],
    ['it is long', `Basic realm="${'x'.repeat(10_000)}"`],
  ])('are none where %s', (_, header) => {
    expect(plain(header)).toEqual([]);
  });

  const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
  const challenge = fc.record({
    scheme: token,
    parameters: fc.uniqueArray(fc.tuple(token, fc.string({ maxLength: 20 })), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name.toLowerCase(),
    }),
  });

  it('come back as they were written, whatever stands in the quotes', () => {
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 3 }), (all) => {
        const header = all
          .map(({ scheme, parameters }) => {
            const written = parameters.map(
              ([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&')}"`,
            );
            return `${scheme} ${written.join(', ')}`;
          })
          .join(', ');
        const expected = all.map(({ scheme, parameters }) => [
          scheme.toLowerCase(),
          parameters.map(([name, value]) => [name.toLowerCase(), value]),
        ]);
        const found = parseChallenges(header).map((each) => [each.scheme, [...each.parameters]]);
        expect(found).toEqual(expected);
      }),
      { seed: 6_001, numRuns: 400 },
    );
  });

  it('are read in a time that does not grow faster than the header, and nothing throws', () => {
    const piece = fc.constantFrom(
      'Basic',
      'Bearer',
      ' ',
      ',',
      '=',
      '"',
      '\\',
      'realm',
      'a',
      '/',
      ';',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(Array.isArray(parseChallenges(pieces.join('')))).toBe(true);
      }),
      { seed: 6_002, numRuns: 2_000 },
    );
    for (const part of [' ', ',', 'a', '\\"', 'a=', 'a,', '="']) {
      expect(parseChallenges(`Basic realm="${part.repeat(4_000)}`)).toEqual([]);
      expect(parseChallenges(`Basic ${part.repeat(4_000)}\n`)).toEqual([]);
    }
  });

  it('cost the same however many blanks are in them', () => {
    const header = `Basic${' ,'.repeat(4_000)}x`;
    const started = performance.now();
    for (let count = 0; count < 300; count++) parseChallenges(header);
    // 50 ms each, when the blanks were searched for an end from each of them on.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
