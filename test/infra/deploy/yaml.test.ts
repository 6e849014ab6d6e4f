import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlInOrder, yamlOf } from '#infra/deploy/yaml.ts';
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
