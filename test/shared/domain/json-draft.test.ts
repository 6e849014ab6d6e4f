import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { draftOf } from '#shared/domain/json-draft.ts';
import { applyPatch, effectOf, type Operation } from '#shared/domain/json-patch.ts';
import { pointer, valueAt } from '#shared/domain/json-pointer.ts';

const key = fc.constantFrom('a', 'b', 'a/b', 'c~d', '0', '__proto__');
const json = fc.letrec<{ value: Json; list: Json[]; object: JsonObject }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  list: fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom<Json>(null, 1), tie('list'), tie('object')),
}));
const thrown = fc.record({
  op: fc.constantFrom('add', 'add', 'replace', 'remove'),
  picks: fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
  value: json.value,
});
type Thrown = typeof thrown extends fc.Arbitrary<infer T> ? T : never;

/** Along what is there, or beside it at the end. */
function aimed(object: JsonObject, { op, picks, value }: Thrown): Operation {
  const names: string[] = [];
  for (const pick of picks) {
    const node = names.reduce<unknown>(valueAt, object);
    if (typeof node !== 'object' || node === null) break;
    const known = [...Object.keys(node), Array.isArray(node) ? String(node.length) : 'new'];
    names.push(known[pick % known.length] ?? '');
  }
  const path = pointer(...names);
  return op === 'remove' ? { op, path } : { op, path, value };
}

/** Those that fit when it is their turn. */
function fitting(object: JsonObject, all: readonly Thrown[]): readonly Operation[] {
  const kept: Operation[] = [];
  let now = object;
  for (const each of all) {
    const operation = aimed(now, each);
    const next = after(now, operation);
    if (next === undefined) continue;
    now = next;
    kept.push(operation);
  }
  return kept;
}

function after(object: JsonObject, operation: Operation): JsonObject | undefined {
  try {
    return applyPatch(object, [operation]);
  } catch {
    return undefined;
  }
}

describe('many operations on one draft', () => {
  it('lead where they lead one after another, and leave the object and their values as they were', () => {
    let made = 0;
    fc.assert(
      fc.property(json.object, fc.array(thrown, { maxLength: 40 }), (object, all) => {
        const operations = fitting(object, all);
        made += operations.length;
        const before = JSON.stringify([object, operations]);
        const effect = effectOf(object, operations);
        expect(effect.object()).toEqual(applyPatch(object, operations));
        expect(applyPatch(object, effect.operations)).toEqual(applyPatch(object, operations));
        expect(JSON.stringify([object, operations])).toBe(before);
      }),
      { numRuns: 3_000 },
    );
    expect(made).toBeGreaterThan(8_000);
  });

  it('lead there by whichever way, where there are more of them than ways that are remembered', () => {
    const add = (path: string): Operation => ({ op: 'add', path, value: 1 });
    const others = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => add(`/${from + index}`));
    // Of `/o` the way is forgotten by the time of the third, that of `/o/b` not yet, which leads over it.
    const operations = [add('/o/a'), ...others(0, 1_500), add('/o/b'), ...others(1_500, 600)];
    const last: Operation = { op: 'replace', path: '/o/b', value: 2 };
    const effect = effectOf({ o: {} }, [...operations, add('/o/c'), last, add('/end')]).object();
    expect(effect['o']).toEqual({ a: 1, b: 2, c: 1 });
  });

  it('make a member of every name', () => {
    const operations: Operation[] = [
      { op: 'add', path: '/a/__proto__', value: { x: 1 } },
      { op: 'add', path: '/z', value: 1 },
    ];
    const object = effectOf({ a: {} }, operations).object();
    expect(JSON.stringify(object)).toBe('{"a":{"__proto__":{"x":1}},"z":1}');
  });

  it.each([
    ['no pointer', 'a/b'],
    ['a tilde that means nothing', '/a/~2'],
    ['a place below a text', '/text/b'],
    ['a place that is not there', '/c/b'],
    ['an end of a list that is passed', '/list/3'],
    ['a key of a list', '/list/x'],
  ])('are refused for %s', (_, path) => {
    const operations: Operation[] = [
      { op: 'add', path, value: 1 },
      { op: 'add', path: '/z', value: 1 },
    ];
    expect(() => effectOf({ a: {}, text: 'b', list: [1, 2] }, operations)).toThrow(path);
  });
});

describe('a draft', () => {
  it('copies what an edit stands in once, and shares the rest', () => {
    const object = { a: { b: [1] }, c: { d: 1 } };
    const draft = draftOf(object);
    const [first, second] = ['/a/b/1', '/a/b/2'].map((at) => {
      const spot = draft.open(at);
      if (spot !== undefined) draft.edit(spot, { op: 'add', value: at });
      return spot?.opened;
    });
    expect(draft.object).toEqual({ a: { b: [1, '/a/b/1', '/a/b/2'] }, c: { d: 1 } });
    expect(second).toBe(first);
    expect(draft.object['c']).toBe(object.c);
    expect(object).toEqual({ a: { b: [1] }, c: { d: 1 } });
  });
});
