import type { JsonObject } from './json.ts';

/** Of all keys and values of an object's annotations together: the API server refuses whatever has more. */
const mostBytes = 262_144;

/** Whether they can be written as well; `null` takes one away. */
export function hasRoomFor(annotations: JsonObject, more: JsonObject): boolean {
  const texts = Object.entries({ ...annotations, ...more }).flatMap(([key, value]) =>
    value === null ? [] : [key, String(value)],
  );
  const letters = texts.reduce((sum, { length }) => sum + length, 0);
  // None of them has more than three bytes: what pods usually have need not be encoded.
  return letters * 3 <= mostBytes || bytesOf(texts) <= mostBytes;
}

function bytesOf(texts: readonly string[]): number {
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).byteLength, 0);
}
