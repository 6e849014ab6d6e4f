import type { Json, JsonObject } from '../../json.ts';

/**
 * The bytes that a TUF signature is over: keys sorted by their UTF-8 bytes, no whitespace, only `\` and `"` escaped.
 * `undefined` for what has no such form: a fraction, an integer beyond 2^53, half a surrogate pair.
 */
export function canonicalJson(value: Json): string | undefined {
  const form = written(value);
  // Once, over all of it: every string ends in a quote, so no half can meet another.
  return form?.isWellFormed() === true ? form : undefined;
}

function written(value: Json): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value === 'string') return quoted(value);
  return isItems(value) ? listed(value) : keyed(value);
}

function isItems(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

const special = /[\\"]/g;

function quoted(value: string): string {
  return `"${value.replace(special, '\\$&')}"`;
}

function listed(items: readonly Json[]): string | undefined {
  const parts = items.map(written);
  return parts.includes(undefined) ? undefined : `[${parts.join(',')}]`;
}

function keyed(object: JsonObject): string | undefined {
  const parts = Object.keys(object)
    .sort(byCodePoint)
    .map((key) => {
      const value = written(object[key] ?? null);
      return value === undefined ? undefined : `${quoted(key)}:${value}`;
    });
  return parts.includes(undefined) ? undefined : `{${parts.join(',')}}`;
}

/** As UTF-8 sorts. JavaScript's own order puts U+1F600 before U+FF5E, and the signature would not hold. */
export function byCodePoint(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
