import type { Json } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { all, broken, type Found, held, nowhere } from './found.ts';
import { schemaAt, schemasAt } from './keyword.ts';
import { type Part, validated } from './value.ts';

/** `anyOf`, `oneOf`, `allOf` and `not`; beside their own message comes what the nearest alternative misses. */
export function combinedFound(value: Json, schema: Schema, { path }: Part): Found {
  const judge = (each: Schema) => validated(value, each, { path });
  return all([
    anyFound(schemasAt(schema, 'anyOf').map(judge), path),
    oneFound(schemasAt(schema, 'oneOf').map(judge), path),
    everyFound(schemasAt(schema, 'allOf').map(judge), path),
    notFound(schemaAt(schema, 'not'), judge, path),
    held,
  ]);
}

function anyFound(founds: readonly Found[], path: string): Found {
  if (founds.length === 0) return broken();
  const first = founds.find(isHeld);
  if (first !== undefined) return first;
  return all([broken(said(path, 'must validate at least one schema (anyOf)')), nearest(founds)]);
}

function oneFound(founds: readonly Found[], path: string): Found {
  if (founds.length === 0) return broken();
  const [first, ...others] = founds.filter(isHeld);
  if (first !== undefined && others.length === 0) return first;
  const must = 'must validate one and only one schema (oneOf)';
  return first === undefined
    ? all([broken(said(path, `${must}. Found none valid`)), nearest(founds)])
    : broken(said(path, `${must}. Found ${others.length + 1} valid alternatives`));
}

function everyFound(founds: readonly Found[], path: string): Found {
  if (founds.every(isHeld)) return all(founds);
  const none = founds.some(isHeld) ? '' : '. None validated';
  return all([...founds, broken(said(path, `must validate all the schemas (allOf)${none}`))]);
}

function notFound(not: Schema | undefined, judge: (schema: Schema) => Found, path: string): Found {
  if (not === undefined || !isHeld(judge(not))) return broken();
  return broken(said(path, 'must not validate the schema (not)'));
}

function isHeld({ errors }: Found): boolean {
  return errors.length === 0;
}

function nearest(founds: readonly Found[]): Found {
  return founds.reduce((best, each) => (each.matches > best.matches ? each : best));
}

function said(path: string, what: string): FieldError {
  return {
    field: nowhere,
    reason: 'FieldValueInvalid',
    message: `Invalid value: "": "${path}" ${what}`,
  };
}
