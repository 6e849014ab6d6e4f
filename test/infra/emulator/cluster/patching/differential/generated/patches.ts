import fc from 'fast-check';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { word, words } from './pieces.ts';

/** A null here and there, as patches have them. */
export function holed(object: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(object, fc.array(fc.nat(40), { maxLength: 2 })).map(([value, at]) => {
    let count = 0;
    const hole = (node: Json): Json => {
      if (Array.isArray(node)) return node.map(hole);
      if (typeof node !== 'object' || node === null) return node;
      return Object.fromEntries(
        Object.entries(node).map(([key, inner]) => {
          count += 1;
          const isKey = ['name', 'port', 'containerPort', 'key', 'mountPath', 'metadata'].includes(
            key,
          );
          return [key, at.includes(count) && !isKey ? null : hole(inner)];
        }),
      );
    };
    return hole(value) as JsonObject;
  });
}

export const operations = fc.array(
  fc.oneof(
    fc.record({
      op: fc.constantFrom('add', 'replace', 'test'),
      path: fc.constantFrom(
        '/metadata/labels/a',
        '/metadata/labels',
        '/metadata/annotations/b',
        '/metadata/finalizers/0',
        '/metadata/finalizers/-',
        '/metadata/finalizers/-1',
        '/metadata/nothing/a',
      ),
      value: fc.oneof(word, fc.constant('e.x/d'), words),
    }),
    fc.record({
      op: fc.constantFrom('remove'),
      path: fc.constantFrom(
        '/metadata/labels/a',
        '/metadata/labels',
        '/metadata/finalizers/1',
        '/spec/ports/0',
      ),
    }),
    fc.record({
      op: fc.constantFrom('move', 'copy'),
      from: fc.constantFrom('/metadata/labels/a', '/metadata/annotations', '/metadata/labels'),
      path: fc.constantFrom('/metadata/annotations/c', '/metadata/annotations', '/metadata/labels'),
    }),
  ),
  { minLength: 1, maxLength: 2 },
);
