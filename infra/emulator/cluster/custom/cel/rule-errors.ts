import { isJsonObject, isList, type Json, sameJson } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { child, duplicate, fieldOf, forbidden, invalid, required } from '../valid/found.ts';
import { propertyOf, schemasAt, valuesOf } from '../valid/keyword.ts';
import { oldItemOf } from '../valid/old-item.ts';
import { type CompiledRule, compileRule, type Rule } from './compile.ts';
import { isCelError, runtimeWording } from './problem.ts';

export type Place = {
  readonly path: string;
  readonly old: Json | undefined;
  /** The rules of the whole object see its metadata. */
  readonly isRoot?: boolean;
};

/** `x-kubernetes-validations`, from the outside in. */
export function ruleErrors(value: Json, schema: Schema, place: Place): readonly FieldError[] {
  if (value === null) return [];
  return [
    ...compiledOf(schema, place.isRoot === true).flatMap((rule) =>
      errorOf(rule, value, { schema, ...place }),
    ),
    ...schemasAt(schema, 'allOf').flatMap((each) =>
      ruleErrors(value, each, { ...place, isRoot: false }),
    ),
    ...inside(value, schema, place),
  ];
}

const ruled = new WeakMap<Schema, boolean>();

/** Of a schema or of anything below; most have none, and are asked at each write. */
export function hasRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...schemasAt(schema, 'allOf'),
    ...[schema.items, valuesOf(schema)].filter((each) => each !== undefined),
  ];
  const has = rulesIn(schema).length > 0 || below.some(hasRules);
  ruled.set(schema, has);
  return has;
}

function inside(value: Json, schema: Schema, { path, old }: Place): readonly FieldError[] {
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) =>
      ruleErrors(item, items, { path: `${path}[${index}]`, old: oldItemOf(item, schema, old) }),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const property = propertyOf(schema, key);
    const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
    if (property !== undefined)
      return ruleErrors(each, property, { path: child(path, key), old: before });
    const values = valuesOf(schema);
    return values === undefined
      ? []
      : ruleErrors(each, values, { path: `${path}[${key}]`, old: before });
  });
}

const compiled = new WeakMap<Schema, readonly CompiledRule[]>();

function compiledOf(schema: Schema, isRoot: boolean): readonly CompiledRule[] {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const seen = isRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  const made = rulesIn(schema).map((rule) => compileRule(rule, seen));
  compiled.set(schema, made);
  return made;
}

export function rulesIn(schema: Schema): readonly Rule[] {
  const stated = schema['x-kubernetes-validations'];
  return Array.isArray(stated) ? stated.filter(isRule) : [];
}

function isRule(value: unknown): value is Rule {
  return isJsonObject(value) && typeof value['rule'] === 'string';
}

type Judged = Place & { readonly schema: Schema };

function errorOf(rule: CompiledRule, self: Json, place: Judged): readonly FieldError[] {
  const { stated, usesOld } = rule;
  if (usesOld && place.old === undefined && stated.optionalOldSelf !== true) return [];
  const selves = { self, old: place.old };
  try {
    if (rule.holds(selves)) return [];
  } catch (cause: unknown) {
    if (!isCelError(cause) && !(cause instanceof Error)) throw cause;
    return [unevaluated(rule, cause, place)];
  }
  // What did not change was let in before this rule was.
  const isOld = !usesOld && place.old !== undefined && sameJson(self, place.old);
  return isOld ? [] : [brokenRule(stated, saidBy(rule, selves), { self, place })];
}

function unevaluated({ stated }: CompiledRule, cause: Error, { path, schema }: Judged): FieldError {
  const said = isCelError(cause) ? runtimeWording(cause) : cause.message;
  const detail = said.startsWith('no such overload')
    ? `'${said}': call arguments did not match a supported operator, function or macro signature for rule: ${named(stated)}`
    : `${said} evaluating rule: ${named(stated)}`;
  return invalid(path, schema.type ?? '', detail);
}

function saidBy(
  { stated, says }: CompiledRule,
  selves: Parameters<CompiledRule['holds']>[0],
): string {
  try {
    const said = says?.(selves);
    const text = typeof said === 'string' ? said.trim() : '';
    if (text !== '' && !text.includes('\n') && text.length <= 5_120) return text;
  } catch (cause: unknown) {
    // A message that cannot be made gives way to the one that is stated.
    if (!(cause instanceof Error)) throw cause;
  }
  return stated.message === undefined ? `failed rule: ${named(stated)}` : stated.message.trim();
}

function named({ message, rule }: Rule): string {
  return (message ?? rule).trim();
}

function brokenRule(
  stated: Rule,
  detail: string,
  { self, place: { path, schema } }: { readonly self: Json; readonly place: Judged },
): FieldError {
  const at = pathBelow(path, stated.fieldPath);
  if (stated.reason === 'FieldValueForbidden') return forbidden(at, detail);
  if (stated.reason === 'FieldValueRequired') return required(at, detail);
  if (stated.reason === 'FieldValueDuplicate') return duplicate(at, self);
  const isWhole = schema.type === 'object' || schema.type === 'array';
  return isWhole
    ? { field: fieldOf(at), reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` }
    : invalid(at, self, detail);
}

/** `.spec.name`, `['a b']`. */
function pathBelow(path: string, fieldPath: string | undefined): string {
  if (fieldPath === undefined || fieldPath === '') return path;
  const normal = fieldPath.replaceAll(/\['((?:[^'\\]|\\.)*)'\]/g, '.$1').replace(/^\./, '');
  return child(path, normal);
}
