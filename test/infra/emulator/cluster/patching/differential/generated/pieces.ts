import fc from 'fast-check';
import type { Json, JsonObject } from '#shared/domain/json.ts';

export const some = (of: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> =>
  fc.record(of, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

export const word = fc.constantFrom('x', 'y', 'z');
export const words = some({ a: word, b: word, c: word });

export function distinct(
  items: fc.Arbitrary<JsonObject>,
  ...keys: readonly string[]
): fc.Arbitrary<Json> {
  return fc.uniqueArray(items, {
    maxLength: 3,
    selector: (item) => JSON.stringify(keys.map((key) => item[key] ?? 'TCP')),
  });
}

export const metadata = some({
  labels: words,
  annotations: words,
  finalizers: fc.uniqueArray(fc.constantFrom('e.x/a', 'e.x/b', 'e.x/c'), { maxLength: 3 }),
});
