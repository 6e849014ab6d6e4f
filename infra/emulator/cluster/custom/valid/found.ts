import type { Json } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';

/** What one schema says of a value, and how many of its checks held: of several alternatives the nearest one explains itself. */
export type Found = { readonly errors: readonly FieldError[]; readonly matches: number };

export const held: Found = { errors: [], matches: 1 };

export function all(founds: readonly Found[]): Found {
  return {
    errors: founds.flatMap(({ errors }) => errors),
    matches: founds.reduce((sum, { matches }) => sum + matches, 0),
  };
}

export function broken(...errors: readonly FieldError[]): Found {
  return { errors, matches: 0 };
}

export function invalid(path: string, value: Json, detail: string): FieldError {
  return {
    field: fieldOf(path),
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
  };
}

export function wrongType(path: string, value: Json, detail: string): FieldError {
  return { ...invalid(path, value, detail), reason: 'FieldValueTypeInvalid' };
}

export function required(path: string, detail = ''): FieldError {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { field: fieldOf(path), reason: 'FieldValueRequired', message };
}

export function duplicate(path: string, value: Json): FieldError {
  return {
    field: fieldOf(path),
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${shown(value)}`,
  };
}

export function forbidden(path: string, detail: string): FieldError {
  return { field: fieldOf(path), reason: 'FieldValueForbidden', message: `Forbidden: ${detail}` };
}

export function notSupported(path: string, value: Json, values: readonly Json[]): FieldError {
  const supported = values.map((each) =>
    JSON.stringify(typeof each === 'string' ? each : JSON.stringify(each)),
  );
  return {
    field: fieldOf(path),
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${supported.join(', ')}`,
  };
}

export function tooMany(path: string, actual: number, most: number): FieldError {
  return {
    field: fieldOf(path),
    reason: 'FieldValueTooMany',
    message: `Too many: ${actual}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  };
}

export function tooLong(path: string, most: number): FieldError {
  return {
    field: fieldOf(path),
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`,
  };
}

/** Of the whole object, or of what a schema says by its parts: Go prints the path that is not there. */
export const nowhere = '<nil>';

export function fieldOf(path: string): string {
  return path === '' ? nowhere : path.replace(/^\./, '');
}

/** Go writes what is no text as it would for a web page. */
export function shown(value: Json): string {
  const text = JSON.stringify(value);
  return typeof value === 'string'
    ? text
    : text.replaceAll(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

export function child(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
