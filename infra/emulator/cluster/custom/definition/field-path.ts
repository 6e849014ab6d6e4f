import type { Schema } from '../../parts.ts';
import { propertyOf, valuesOf } from '../valid/keyword.ts';

export type FoundPath = { readonly schema: Schema } | { readonly why: string };

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;

/** Where `.spec.labels['a b']` leads in a schema. */
export function findPath(path: string, schema: Schema, allowsBrackets: boolean): FoundPath {
  if (path === '') return { schema };
  if (path.startsWith('[') && !allowsBrackets) return { why: 'array notation is not allowed' };
  const [whole, name, key] = step.exec(path) ?? [];
  if (whole === undefined)
    return {
      why:
        path === '.'
          ? 'unexpected end of JSON path'
          : `expected [ or . but got: ${path.split(/[.[\]]/)[0]}`,
    };
  const below = next(schema, name ?? key ?? '');
  return below === undefined
    ? { why: 'does not refer to a valid field' }
    : findPath(path.slice(whole.length), below, allowsBrackets);
}

function next(schema: Schema, name: string): Schema | undefined {
  return schema.properties === undefined ? valuesOf(schema) : propertyOf(schema, name);
}
