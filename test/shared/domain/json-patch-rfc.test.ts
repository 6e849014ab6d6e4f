import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch, type Operation } from '#shared/domain/json-patch.ts';

const add = (path: string, value: JsonObject[string]): Operation => ({ op: 'add', path, value });
const replace = (path: string, value: JsonObject[string]): Operation => ({
  op: 'replace',
  path,
  value,
});
const remove = (path: string): Operation => ({ op: 'remove', path });

describe('applyPatch, by RFC 6902', () => {
  it.each<[string, JsonObject, Operation, JsonObject]>([
    ['A.1 adds a member', { foo: 'bar' }, add('/baz', 'qux'), { baz: 'qux', foo: 'bar' }],
    [
      'A.2 adds an item',
      { foo: ['bar', 'baz'] },
      add('/foo/1', 'qux'),
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, remove('/baz'), { foo: 'bar' }],
    [
      'A.4 removes an item',
      { foo: ['bar', 'qux', 'baz'] },
      remove('/foo/1'),
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces a value',
      { baz: 'qux', foo: 'bar' },
      replace('/baz', 'boo'),
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.10 adds a nested member',
      { foo: 'bar' },
      add('/child', { grandchild: {} }),
      { foo: 'bar', child: { grandchild: {} } },
    ],
    ['A.14 reads ~01 as ~1', { '/': 9, '~1': 10 }, replace('/~01', 11), { '/': 9, '~1': 11 }],
    [
      'A.16 adds a list as one item at the end',
      { foo: ['bar'] },
      add('/foo/-', ['abc', 'def']),
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['4.1 replaces a member that is there', { a: 1 }, add('/a', 2), { a: 2 }],
    ['4.1 adds at the index one past the end', { a: [1] }, add('/a/1', 2), { a: [1, 2] }],
    ['4.1 adds to an empty list', { a: [] }, add('/a/0', 1), { a: [1] }],
    ['4.1 replaces the whole', { a: 1 }, add('', { b: 2 }), { b: 2 }],
    ['4.3 replaces the whole as well', { a: 1 }, replace('', { b: 2 }), { b: 2 }],
    ['4.3 replaces an item', { a: [1, 2] }, replace('/a/0', 3), { a: [3, 2] }],
    ['4.3 replaces null', { a: null }, replace('/a', 1), { a: 1 }],
    ['4.3 replaces by null', { a: 1 }, replace('/a', null), { a: null }],
    ['4.2 removes null', { a: null }, remove('/a'), {}],
    ['6901 reads the empty key', { '': 1 }, replace('/', 2), { '': 2 }],
    ['6901 reads a slash', { 'a/b': { c: 1 } }, replace('/a~1b/c', 2), { 'a/b': { c: 2 } }],
    ['keeps digits as a key of an object', { a: {} }, add('/a/0', 1), { a: { 0: 1 } }],
  ])('%s', (_, object, operation, expected) => {
    expect(applyPatch(object, [operation])).toEqual(expected);
  });

  it.each<[string, JsonObject, Operation]>([
    ['A.12 to a parent that is not there', { foo: 'bar' }, add('/baz/bat', 'qux')],
    ['below a text', { foo: 'bar' }, add('/foo/bat', 'qux')],
    ['below null', { foo: null }, add('/foo/bat', 'qux')],
    ['beyond the end of a list', { a: [1] }, add('/a/2', 3)],
    ['by a key to a list', { a: [1] }, add('/a/b', 3)],
    ['with a leading zero', { a: [1, 2] }, add('/a/01', 3)],
    ['with a sign', { a: [1, 2] }, add('/a/-1', 3)],
    ['a replacement of nothing', { a: 1 }, replace('/b', 2)],
    ['a replacement one past the end', { a: [1] }, replace('/a/1', 2)],
    ['a replacement of the end', { a: [1] }, replace('/a/-', 2)],
    ['a removal of nothing', { a: 1 }, remove('/b')],
    ['a removal one past the end', { a: [1] }, remove('/a/1')],
    ['a removal of the whole', { a: 1 }, remove('')],
    ['a replacement of the whole by no object', { a: 1 }, replace('', [1])],
    ['a path that is no pointer', { a: 1 }, add('a', 2)],
    ['an inherited member', {}, replace('/constructor', 1)],
    ['a path through an inherited member', {}, add('/constructor/prototype', 1)],
    ['a path through the prototype', {}, add('/__proto__/polluted', 1)],
  ])('refuses %s', (_, object, operation) => {
    expect(() => applyPatch(object, [operation])).toThrow(operation.path);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('takes operations in order, and all or none', () => {
    const object = { list: ['a'] };
    expect(
      applyPatch(object, [add('/list/0', 'b'), add('/list/-', 'c'), remove('/list/1')]),
    ).toEqual({ list: ['b', 'c'] });
    expect(() => applyPatch(object, [add('/list/0', 'b'), remove('/none')])).toThrow('/none');
    expect(object).toEqual({ list: ['a'] });
  });

  it('keeps a member called __proto__ a member', () => {
    const object = JSON.parse('{"__proto__":{"a":1},"b":{}}');
    const result = applyPatch(object, [replace('/__proto__/a', 2), add('/b/__proto__', { c: 3 })]);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":2},"b":{"__proto__":{"c":3}}}');
    expect(JSON.stringify(applyPatch(result, [remove('/__proto__')]))).toBe(
      '{"b":{"__proto__":{"c":3}}}',
    );
  });

  it('shares what it does not touch and changes nothing in place', () => {
    const object = deepFrozen({ a: { b: { c: 1 }, d: {} }, e: [{ f: 1 }, { g: 2 }] });
    const result = applyPatch(object, [replace('/a/b/c', 2), replace('/e/0/f', 3)]);
    expect(result).toEqual({ a: { b: { c: 2 }, d: {} }, e: [{ f: 3 }, { g: 2 }] });
    expect((result['a'] as JsonObject)['d']).toBe(object.a.d);
    expect((result['e'] as JsonObject[])[1]).toBe(object.e[1]);
  });
});

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner);
    Object.freeze(value);
  }
  return value;
}
