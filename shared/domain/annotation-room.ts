import type { JsonObject } from './json.ts';

/** Of all keys and values of an object's annotations together: the API server refuses whatever has more. */
const mostBytes = 262_144;

/** Whether they can be written as well; `null` takes one away. */
export function hasRoomFor(annotations: JsonObject, more: JsonObject): boolean {
  // None of them has more than three bytes a letter: what pods usually have need not be encoded, nor put together.
  if ((lettersOf(annotations) + lettersOf(more)) * 3 <= mostBytes) return true;
  const texts = Object.entries({ ...annotations, ...more }).flatMap(([key, value]) =>
    value === null ? [] : [key, String(value)],
  );
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).byteLength, 0) <= mostBytes;
}

function lettersOf(annotations: JsonObject): number {
  let sum = 0;
  for (const key in annotations) sum += key.length + String(annotations[key]).length;
  return sum;
}
