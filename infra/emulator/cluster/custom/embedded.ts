import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../parts.ts';
import { child, invalid, required } from './valid/found.ts';
import { isTrueAt, propertyOf, valuesOf } from './valid/keyword.ts';

/** `x-kubernetes-embedded-resource`: an object of its own, with type and name. */
export function embeddedErrors(value: Json, schema: Schema, path: string): readonly FieldError[] {
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => embeddedErrors(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = isTrueAt(schema, 'x-kubernetes-embedded-resource') ? resourceErrors(value, path) : [];
  return [...own, ...below(value, schema, path)];
}

function below(value: JsonObject, schema: Schema, path: string): readonly FieldError[] {
  return Object.entries(value).flatMap(([key, each]) => {
    const property = propertyOf(schema, key);
    if (property !== undefined) return embeddedErrors(each, property, child(path, key));
    const values = valuesOf(schema);
    return values === undefined ? [] : embeddedErrors(each, values, `${path}[${key}]`);
  });
}

function resourceErrors(value: JsonObject, path: string): readonly FieldError[] {
  return [...typeErrors(value, 'apiVersion', path), ...typeErrors(value, 'kind', path)].concat(
    nameErrors(value['metadata'], child(path, 'metadata')),
  );
}

function typeErrors(value: JsonObject, key: 'apiVersion' | 'kind', path: string): FieldError[] {
  const at = child(path, key);
  const stated = value[key];
  if (stated === undefined) return [required(at)];
  if (typeof stated !== 'string') return [invalid(at, stated, 'must be a string')];
  if (stated === '') return [invalid(at, stated, 'must not be empty')];
  if (key === 'apiVersion' && stated.split('/').length > 2)
    return [invalid(at, stated, `unexpected GroupVersion string: ${stated}`)];
  return [];
}

/** What no path of a URL may be made of. */
function nameErrors(metadata: Json | undefined, path: string): FieldError[] {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  if (typeof name !== 'string' || name === '') return [];
  if (name === '.' || name === '..')
    return [invalid(child(path, 'name'), name, `may not be '${name}'`)];
  const strange = ['/', '%'].filter((letter) => name.includes(letter));
  if (strange.length === 0) return [];
  const why = strange.map((letter) => `may not contain '${letter}'`).join(', ');
  return [invalid(child(path, 'name'), name, why)];
}
