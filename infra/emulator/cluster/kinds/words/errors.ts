import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';
import {
  type Check,
  child,
  type Errors,
  isEmpty,
  none,
  number,
  type Place,
  text,
} from './place.ts';

/** The reasons of a 422, in the words of the real server. */
export function required({ path }: Place, detail = ''): FieldError {
  return error('FieldValueRequired', path, join('Required value', detail));
}

export function forbidden({ path }: Place, detail: string): FieldError {
  return error('FieldValueForbidden', path, join('Forbidden', detail));
}

export function invalid({ path, value }: Place, detail: string, shown = value): FieldError {
  return error('FieldValueInvalid', path, join(`Invalid value: ${printed(shown)}`, detail));
}

/** Where there is no value to show. */
export function unfit({ path }: Place, detail: string): FieldError {
  return error('FieldValueInvalid', path, `Invalid value: ${detail}`);
}

export function notSupported({ path, value }: Place, supported: readonly string[]): FieldError {
  const quoted = supported.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${printed(value ?? '')}: supported values: ${quoted}`;
  return error('FieldValueNotSupported', path, message);
}

export function duplicate({ path, value }: Place): FieldError {
  return error('FieldValueDuplicate', path, `Duplicate value: ${printed(value)}`);
}

export function notFound({ path, value }: Place): FieldError {
  return error('FieldValueNotFound', path, `Not found: ${printed(value ?? '')}`);
}

export function tooLong({ path }: Place, bytes: number): FieldError {
  return error('FieldValueTooLong', path, `Too long: may not be more than ${bytes} bytes`);
}

export function tooMany({ path }: Place, found: number, most: number): FieldError {
  const items = most === 1 ? 'item' : 'items';
  return error('FieldValueTooMany', path, `Too many: ${found}: must have at most ${most} ${items}`);
}

function error(reason: FieldError['reason'], field: string, message: string): FieldError {
  return { field: field === '' ? '<nil>' : field, reason, message };
}

function join(what: string, detail: string): string {
  return detail === '' ? what : `${what}: ${detail}`;
}

/** As Go prints it: a text as it is, the rest as JSON without signs of HTML, and the keys of maps in order. */
function printed(value: Json | undefined): string {
  if (typeof value === 'string') return JSON.stringify(value);
  const sorted = (key: string, part: Json) =>
    key === 'matchLabels' && isJsonObject(part) ? inOrder(part) : part;
  return JSON.stringify(value ?? null, sorted).replace(
    /[<>&]/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );
}

export function inOrder(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** A structure as the real server prints its own form of it: all its fields, with a capital. */
export function inOwnForm(at: Place, keys: readonly string[]): JsonObject {
  const fields = keys.map((key) => [
    `${key.charAt(0).toUpperCase()}${key.slice(1)}`,
    child(at, key).value ?? null,
  ]);
  return Object.fromEntries(fields);
}

/** One error for each complaint of a rule about a text. */
export function says(rule: (value: string) => readonly string[]): Check {
  return (at) => rule(text(at)).map((complaint) => invalid(at, complaint, text(at)));
}

export function stated(at: Place, then: Check = () => none, detail = ''): Errors {
  return isEmpty(at) ? [required(at, detail)] : then(at);
}

export function oneOf(at: Place, values: readonly string[]): Errors {
  return values.includes(text(at)) ? none : [notSupported(at, values)];
}

export function notNegative(at: Place): Errors {
  return number(at) < 0 ? [invalid(at, 'must be greater than or equal to 0')] : none;
}

export function between(low: number, high: number): Check {
  return (at) => {
    const value = number(at);
    return value >= low && value <= high
      ? none
      : [invalid(at, `must be between ${low} and ${high}, inclusive`, value)];
  };
}

/** The second and later of those that say the same. */
export function duplicates(places: readonly Place[]): Errors {
  const seen = new Set<string>();
  return places.flatMap((at) => {
    const key = JSON.stringify(at.value);
    if (seen.has(key)) return [duplicate(at)];
    seen.add(key);
    return none;
  });
}
