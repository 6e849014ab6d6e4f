import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import {
  appendAt,
  applyPatch,
  effectOf,
  type Operation,
  removeAt,
  setAt,
} from '#shared/domain/json-patch.ts';
import { valueAt } from '#shared/domain/json-pointer.ts';

type Path = (string | number)[];
const why = 'a test';

describe('setAt', () => {
  it.each<[string, JsonObject, Path, Json, Operation | undefined]>([
    ['adds what is absent', {}, ['a'], 1, { op: 'add', path: '/a', value: 1 }],
    ['replaces what is there', { a: 1 }, ['a'], 2, { op: 'replace', path: '/a', value: 2 }],
    ['leaves an equal value', { a: { b: [1], c: 2 } }, ['a'], { c: 2, b: [1] }, undefined],
    ['leaves an equal null', { a: null }, ['a'], null, undefined],
    ['takes null as absent', { a: null }, ['a'], 1, { op: 'add', path: '/a', value: 1 }],
    [
      'adds the first parent that is missing',
      { a: {} },
      ['a', 'b', 'c', 'd'],
      1,
      { op: 'add', path: '/a/b', value: { c: { d: 1 } } },
    ],
    [
      'adds the first parent that is null',
      { a: null },
      ['a', 'b', 'c'],
      1,
      { op: 'add', path: '/a', value: { b: { c: 1 } } },
    ],
    ['makes a missing list', {}, ['a', 0, 'b'], 1, { op: 'add', path: '/a', value: [{ b: 1 }] }],
    [
      'goes on at the end of a list',
      { a: [{}] },
      ['a', 1, 'b'],
      1,
      { op: 'add', path: '/a/1', value: { b: 1 } },
    ],
    [
      'replaces a null in a list, so that nothing moves',
      { a: [null, 2] },
      ['a', 0, 'b'],
      1,
      { op: 'replace', path: '/a/0', value: { b: 1 } },
    ],
    [
      'escapes the keys',
      { m: {} },
      ['m', 'x.io/a~b'],
      'v',
      { op: 'add', path: '/m/x.io~1a~0b', value: 'v' },
    ],
    [
      'sets a key that objects inherit',
      {},
      ['constructor', '__proto__'],
      1,
      { op: 'add', path: '/constructor', value: JSON.parse('{"__proto__":1}') },
    ],
  ])('%s', (_, object, path, value, expected) => {
    expect(setAt(object, path, value, why)).toEqual(expected ? [{ ...expected, why }] : []);
  });

  it.each<[string, JsonObject, Path]>([
    ['below a text', { a: 'b' }, ['a', 'b', 'c']],
    ['beside the end of a list', { a: [] }, ['a', 1]],
    ['before its start', { a: [] }, ['a', -1]],
    ['by a key in a list', { a: [] }, ['a', 'b']],
    ['at an index of a list that is not there', {}, ['a', 1]],
  ])('refuses a value %s', (_, object, path) => {
    expect(() => setAt(object, path, 1, why)).toThrow('does not fit');
  });
});

describe('appendAt', () => {
  it.each<[string, JsonObject, Operation]>([
    ['adds after the last', { a: { b: [1, 2] } }, { op: 'add', path: '/a/b/2', value: 9 }],
    ['fills an empty list', { a: { b: [] } }, { op: 'add', path: '/a/b/0', value: 9 }],
    ['makes a missing list', { a: {} }, { op: 'add', path: '/a/b', value: [9] }],
    ['makes a list of null', { a: { b: null } }, { op: 'add', path: '/a/b', value: [9] }],
    ['makes its parents', {}, { op: 'add', path: '/a', value: { b: [9] } }],
  ])('%s', (_, object, expected) => {
    expect(appendAt(object, ['a', 'b'], 9, why)).toEqual([{ ...expected, why }]);
  });

  it('refuses what is no list', () => {
    expect(() => appendAt({ a: { b: {} } }, ['a', 'b'], 9, why)).toThrow('/a/b');
  });
});

describe('removeAt', () => {
  it.each<[string, JsonObject, Path, string | undefined]>([
    ['removes a member', { a: { b: 1 } }, ['a', 'b'], '/a/b'],
    ['removes a null', { a: null }, ['a'], '/a'],
    ['removes an item', { a: [1, 2] }, ['a', 1], '/a/1'],
    ['leaves what is absent', { a: {} }, ['a', 'b'], undefined],
    ['leaves what has no parent', {}, ['a', 'b'], undefined],
    ['leaves what is only inherited', {}, ['toString'], undefined],
  ])('%s', (_, object, path, expected) => {
    expect(removeAt(object, path, why)).toEqual(
      expected ? [{ op: 'remove', path: expected, why }] : [],
    );
  });
});

describe('effectOf', () => {
  it.each<[string, Operation[], number[]]>([
    ['an equal replacement', [{ op: 'replace', path: '/a', value: { b: 1 } }], []],
    ['an equal addition', [{ op: 'add', path: '/a/b', value: 1 }], []],
    ['an addition to a list', [{ op: 'add', path: '/l/0', value: 1 }], [0]],
    ['an equal item', [{ op: 'replace', path: '/l/0', value: 1 }], []],
    ['a removal', [{ op: 'remove', path: '/a' }], [0]],
    ['an equal whole', [{ op: 'replace', path: '', value: { a: { b: 1 }, l: [1] } }], []],
    [
      'what is equal only after another one',
      [
        { op: 'replace', path: '/a/b', value: 2 },
        { op: 'add', path: '/a', value: { b: 2 } },
        { op: 'replace', path: '/a/b', value: 1 },
      ],
      [0, 2],
    ],
  ])('judges %s', (_, operations, kept) => {
    const object = { a: { b: 1 }, l: [1] };
    expect(effectOf(object, operations).operations).toEqual(kept.map((index) => operations[index]));
  });
});

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'a/b', 'c~d', '__proto__', 'constructor', ''),
  fc.string(),
);
const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 'text'),
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Json>,
    tie('object'),
  ),
}));

/** A path that fits the object: along what is there, and on by new keys where that ends. */
function fitting(object: JsonObject, keys: readonly string[]): Path {
  return keys.reduce<{ node: unknown; path: Path }>(
    ({ node, path }, next) => {
      const step = stepInto(node, next);
      return { node: valueAt(node, step), path: [...path, step] };
    },
    { node: object, path: [] },
  ).path;
}

function stepInto(node: unknown, key: string): string | number {
  return Array.isArray(node) ? key.length % (node.length + 1) : key;
}

function fits(object: JsonObject, path: Path): boolean {
  const parents = path
    .slice(0, -1)
    .map((_, index) => path.slice(0, index + 1).reduce<unknown>(valueAt, object));
  return parents.every((parent) => typeof (parent ?? {}) === 'object');
}

/** Fitting or not, one after another. */
function oneByOne(object: JsonObject, operations: readonly Operation[]): JsonObject | 'misfit' {
  try {
    return applyPatch(object, operations);
  } catch {
    return 'misfit';
  }
}

const operation = fc.record({
  op: fc.constantFrom('add', 'replace', 'remove'),
  path: fc.array(fc.constantFrom('a', 'b', '0', '1', '-', '~1', '__proto__'), { maxLength: 3 }),
  value: json.value,
});

describe('the effect of operations', () => {
  it('is what they do one after another, with and without those that do nothing', () => {
    let fitted = 0;
    fc.assert(
      fc.property(json.object, fc.array(operation, { maxLength: 4 }), (object, given) => {
        const operations = given.map(({ op, path, value }): Operation => {
          const text = path.map((segment) => `/${segment}`).join('');
          return op === 'remove' ? { op, path: text } : { op, path: text, value };
        });
        const expected = oneByOne(object, operations);
        if (expected === 'misfit') {
          expect(() => effectOf(object, operations)).toThrow();
          return;
        }
        fitted += 1;
        const effect = effectOf(object, operations);
        expect(effect.object()).toEqual(expected);
        expect(oneByOne(object, effect.operations)).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(fitted).toBeGreaterThan(300);
  });
});

const aimed = fc
  .tuple(json.object, fc.array(key, { minLength: 1, maxLength: 4 }), json.value)
  .map(([object, keys, value]) => ({ object, path: fitting(object, keys), value }))
  .filter(({ object, path }) => fits(object, path));

describe('what setAt and applyPatch promise of any object', () => {
  it('puts the value at the path, and the second time changes nothing', () => {
    fc.assert(
      fc.property(aimed, ({ object, path, value }) => {
        const result = applyPatch(object, setAt(object, path, value, why));
        expect(path.reduce<unknown>(valueAt, result)).toEqual(value);
        expect(setAt(result, path, value, why)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(aimed, ({ object, path, value }) => {
        const before = JSON.stringify(object);
        const result = applyPatch(object, setAt(object, path, value, why));
        expect(JSON.stringify(object)).toBe(before);
        expectSameBeside(object, result, path);
      }),
      { numRuns: 2_000 },
    );
  });

  it('removes what was set, and only that', () => {
    fc.assert(
      fc.property(aimed, ({ object, path, value }) => {
        const [change, ...more] = setAt(object, path, value, why);
        fc.pre(change?.op === 'add' && valueAt(object, path[0]) === undefined);
        const result = applyPatch(applyPatch(object, [change]), removeAt(object, path, why));
        const first = path[0] ?? '';
        expect(more).toEqual([]);
        expect(applyPatch(result, removeAt(result, [first], why))).toEqual(object);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Identical beside the path: shared, not merely equal. */
function expectSameBeside(before: unknown, after: unknown, [step, ...rest]: Path): void {
  if (step === undefined) return;
  if (!isJsonObject(before) || !isJsonObject(after)) return;
  for (const other of Object.keys(before)) {
    if (other !== step) expect(Object.is(before[other], valueAt(after, other))).toBe(true);
  }
  for (const other of Object.keys(after)) {
    if (other !== step) expect(Object.hasOwn(before, other)).toBe(true);
  }
  expectSameBeside(valueAt(before, step), valueAt(after, step), rest);
}
