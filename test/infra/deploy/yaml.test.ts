import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { plainYaml } from '#infra/deploy/plain-yaml.ts';
import { yamlByKeys, yamlInOrder, yamlOf } from '#infra/deploy/yaml.ts';
import type { Json } from '#shared/domain/json.ts';

const tricky = ['yes', 'no', 'on', 'OFF', 'y', 'null', '~', 'true', '1:30', '0o17', '017', '0x1F'];
const text = fc.oneof(fc.constantFrom(...tricky), fc.string(), fc.constant('a: b # c\n- d'));
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree')),
    fc.dictionary(
      text.filter((key) => key !== '__proto__' && key !== '<<'),
      tie('tree'),
    ),
  ),
}));

const odd = fc.oneof(
  fc.constantFrom(...tricky),
  fc.constantFrom('a:b', 'a b', 'word-', '2024-01-01', '=', '.5', 'inf', '.nan', '<<', '1e3', '-1'),
  fc.stringMatching(/^[a-zA-Z0-9.:-]{1,6}$/),
);
const usual = fc.constantFrom('word', 'two-words', 'A9', 'e', 'nope', 'only');
const scalar = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(usual, fc.constantFrom('0s', '500ms', '1h', '127.0.0.1')) },
  { weight: 5, arbitrary: fc.oneof(fc.integer(), fc.boolean()) },
  { weight: 1, arbitrary: fc.oneof(odd, fc.double({ noNaN: true, noDefaultInfinity: true })) },
);
const key = fc.oneof({ weight: 10, arbitrary: usual }, { weight: 1, arbitrary: odd });
const { map } = fc.letrec<{ map: Json }>((tie) => ({
  map: fc.dictionary(key, fc.oneof({ depthSize: 'small' }, scalar, tie('map')), {
    minKeys: 1,
    maxKeys: 3,
  }),
}));

describe('plain YAML', () => {
  it('is what the library writes, or nothing', () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.oneof(map, tree), (value) => {
        const written = plainYaml(value);
        if (written === undefined) return;
        plain += 1;
        expect(written).toBe(yamlByKeys(value));
      }),
      { numRuns: 5_000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('is known for the settings of an emulator', () => {
    const stated = { server: { port: 1, address: '127.0.0.1' }, certificates: { settle: '0s' } };
    expect(plainYaml(stated)).toBe(yamlByKeys(stated));
  });

  it.each([[{}], [[1]], [null], ['word']])('leaves %j to the library', (value) => {
    expect(plainYaml(value)).toBeUndefined();
  });
});

describe('written YAML', () => {
  it.each(['1.1', '1.2'] as const)('means the same to a reader of version %s', (version) => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(parse(yamlOf(value), { version })).toEqual(value);
        expect(parse(yamlInOrder(value), { version })).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('quotes what kubectl would read as true', () => {
    expect(yamlOf({ trust: 'yes' })).toBe('trust: "yes"\n');
  });

  it('has its keys in one order, or in the order in which they came', () => {
    expect(yamlOf({ b: { d: 1, c: 2 }, a: 3 })).toBe('a: 3\nb:\n  c: 2\n  d: 1\n');
    expect(yamlInOrder({ b: 1, a: 2 })).toBe('b: 1\na: 2\n');
  });

  it('repeats what stands in two places', () => {
    const shared = { a: [1] };

    expect(yamlOf({ x: shared, z: shared })).toBe('x:\n  a:\n    - 1\nz:\n  a:\n    - 1\n');
  });
});
