import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { yamlOf } from '#infra/deploy/yaml.ts';
import type { Json } from '#shared/domain/json.ts';
import { plainYaml } from '#shared/runtime/config/plain-yaml.ts';
import { parseYaml } from '#shared/runtime/config/yaml.ts';

const written = `---
# what our cluster wants
server:
  port: 8443 # as the Service says
  minTls: '1.3'
log: {level: debug}
`.replace('{level: debug}', '\n  level: debug');

const settings = `${written}
nodeAffinity:
  mode: required
  weight: 100
  share: 0.5
  pools: [worker-a, worker-b]
  excluded:
  - kube-system
  - "a b"
  optOut:
cache: 1h30m
address: 127.0.0.1
network: 10.0.0.0/8
image: registry.local:5000/a/b@sha256
rules:
  - host: docker.io
    to: mirror.corp
  - host: ghcr.io
    isOn: false
text: two words
empty: {}
none: []
`;

describe('YAML as people write it', () => {
  it('is read without the library', () => {
    expect(plainYaml(settings)).toEqual(byLibrary(settings));
    expect(plainYaml(settings)).toMatchObject({ cache: '1h30m', rules: [{}, { isOn: false }] });
  });

  it.each([
    ['an anchor', 'a: &x 1\nb: *x\n'],
    ['a key that stands twice', 'a: 1\na: 2\n'],
    ['a text over several lines', 'a: |\n  b\n'],
    ['a word that goes on in the next line', 'a: b\n  c\n'],
    ['a tab', 'a:\t1\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a number in another form', 'a: 0x10\n'],
    ['a number with an exponent', 'a: 1e3\n'],
    ['a word that older versions read as a truth', 'a: TRUE\n'],
    ['a map in braces', 'a: {b: 1}\n'],
    ['two documents', 'a: 1\n---\nb: 1\n'],
    ['a prototype', '__proto__:\n  a: 1\n'],
    ['a key without a value before a deeper list item', 'a: 1\n  - b\n'],
    ['a colon inside', 'a: b: c\n'],
    ['a quote inside', 'a: "b" c\n'],
    ['letters of other scripts', 'a: ä\n'],
    ['nothing but a remark', '# a\n'],
  ])('is left to the library where there is %s', (_, text) => {
    expect(plainYaml(text)).toBeUndefined();
  });

  it('is read as the library reads it, or not at all', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'key',
        ': ',
        ':',
        '- ',
        '-',
        ' ',
        '  ',
        '    ',
        '\n',
        '\n',
        '\n  ',
        '\n- ',
        '#',
        ' # c',
      ],
      ...[
        '1',
        '0',
        '.5',
        '1.0',
        '-3',
        '1e3',
        '0x1',
        '10s',
        'true',
        'null',
        'No',
        '~',
        '"',
        "'",
        '"x y"',
        "'z'",
      ],
      ...[
        '[',
        ']',
        '[]',
        '{}',
        '[a, b]',
        ', ',
        '{',
        '}',
        '&',
        '*',
        '|',
        '>',
        '!',
        '@',
        '/',
        '%',
        '---',
        'a:b',
        '?',
      ],
      ...['k: v', 'k2: 7', 'l:', '\nm:\n', '\n  n: 1', '\n  - o: 2\n    p: 3'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => sameOrUnsure(pieces.join(''))),
      { numRuns: 20_000 },
    );
  });

  it('gives back whatever was written of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        sameOrUnsure(stringify(value));
        sameOrUnsure(yamlOf(value as Json));
      }),
      { numRuns: 2_000 },
    );
  });
});

function sameOrUnsure(text: string): void {
  const value = plainYaml(text);
  if (value !== undefined) expect(value, text).toEqual(byLibrary(text));
}

function byLibrary(text: string): unknown {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new Error(`the library refuses it: ${JSON.stringify({ text, ...parsed })}`);
  return parsed.value;
}
