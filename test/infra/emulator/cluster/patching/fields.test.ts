import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type Fields,
  intersection,
  isMember,
  member,
  pruned,
  union,
} from '#infra/emulator/cluster/patching/fields.ts';

type Paths = ReadonlySet<string>;

/** The same set, as plainly as can be: its members' paths. */
function pathsOf(fields: Fields, above = ''): readonly string[] {
  return Object.entries(fields)
    .filter(([element]) => element !== '.')
    .flatMap(([element, node]) => {
      const path = `${above}/${element}`;
      return [...(isMember(node) ? [path] : []), ...pathsOf(node, path)];
    });
}

const node: fc.Arbitrary<Fields> = fc.letrec<{ node: Fields }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2 },
    fc.constant(member),
    fc
      .tuple(
        fc.boolean(),
        fc.dictionary(fc.constantFrom('f:a', 'f:b', 'v:1'), tie('node'), { minKeys: 1 }),
      )
      .map(([own, below]) => (own ? { '.': member, ...below } : below)),
  ),
})).node;

const sets = fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"x":1}'), node);

type Keeps = (path: string, one: Paths, other: Paths) => boolean;

const laws: readonly (readonly [string, (one: Fields, other: Fields) => Fields, Keeps])[] = [
  ['a union has the members of both', union, () => true],
  [
    'an intersection has the members that both have',
    intersection,
    (path, one, other) => one.has(path) && other.has(path),
  ],
  [
    'a difference leaves the children of what it takes away',
    difference,
    (path, one, other) => one.has(path) && !other.has(path),
  ],
  [
    'a pruning takes the children with it',
    pruned,
    (path, one, other) =>
      one.has(path) && ![...other].some((root) => `${path}/`.startsWith(`${root}/`)),
  ],
];

describe('sets of fields', () => {
  it.each(laws)('%s', (_, operation, keeps) => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const [left, right] = [new Set(pathsOf(one)), new Set(pathsOf(other))];
        const expected = [...left, ...right].filter((path) => keeps(path, left, right));
        expect(new Set(pathsOf(operation(one, other)))).toEqual(new Set(expected));
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('are the very same where nothing is taken away', () => {
    const set = { 'f:a': { '.': member, 'f:b': member } };
    expect(difference(set, { 'f:c': member })).toBe(set);
    expect(pruned(set, { 'f:a': { 'f:c': member } })).toBe(set);
  });
});
