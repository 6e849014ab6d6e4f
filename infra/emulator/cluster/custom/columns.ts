import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Column, CustomVersion } from './definition.ts';
import { objectAt, textAt } from './definition.ts';

/** What `kubectl get` shows of a custom object: name, the definition's columns, and the age where there are none. */
export function columnsOf({ columns }: CustomVersion): readonly Column[] {
  return [nameColumn, ...(columns.length === 0 ? [ageColumn] : columns)];
}

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  jsonPath: '.metadata.name',
};

const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  format: '',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** One cell a column; ages are told by `age`, which knows the time. */
export function cellsOf(
  object: JsonObject,
  version: CustomVersion,
  age: (timestamp: string) => string,
): readonly Json[] {
  return columnsOf(version).map((column) => {
    if (column === nameColumn) return textAt(objectAt(object, 'metadata'), 'name');
    return cell(found(object, column.jsonPath), column.type, age);
  });
}

function cell(values: readonly Json[], type: string, age: (timestamp: string) => string): Json {
  const [first] = values;
  if (first === undefined || first === null) return null;
  if (type === 'string') return values.length === 1 ? text(first) : values.map(text).join(' ');
  if (type === 'date') return typeof first === 'string' ? age(first) : '<unknown>';
  return typed(first, type);
}

/** A value of another type than the column's is not shown. */
function typed(value: Json, type: string): Json {
  if (type === 'integer') return typeof value === 'number' ? Math.trunc(value) : null;
  if (type === 'number') return typeof value === 'number' ? value : null;
  return typeof value === 'boolean' ? value : null;
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const step =
  /^(?:\.?\['((?:[^'\\]|\\.)*)'\]|\.?\[(\*|-?\d+)\]|\.?\[\?\(@\.([\w.-]+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.]+))\)\]|\.((?:[^.[\\]|\\.)+))/;

/** The part of JSONPath that printer columns and field selectors use: names, indexes, `[*]`, and `[?(@.a=="b")]`. */
export function found(value: Json, path: string): readonly Json[] {
  if (path === '' || path === '.') return [value];
  const match = step.exec(path);
  if (match === null) return [];
  return stepped(value, match).flatMap((each) => found(each, path.slice(match[0].length)));
}

function stepped(value: Json, match: RegExpExecArray): readonly Json[] {
  const [, key, index, filtered, double, single, bare, name] = match;
  if (filtered !== undefined) return matching(value, filtered, double ?? single ?? bare ?? '');
  if (index !== undefined) return indexed(value, index);
  return named(value, (key ?? name ?? '').replaceAll(/\\(.)/g, '$1'));
}

function named(value: Json, key: string): readonly Json[] {
  const below = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return below === undefined ? [] : [below];
}

function indexed(value: Json, index: string): readonly Json[] {
  if (index === '*') return isList(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  const item = isList(value) ? value.at(Number(index)) : undefined;
  return item === undefined ? [] : [item];
}

function matching(value: Json, path: string, wanted: string): readonly Json[] {
  if (!isList(value)) return [];
  return value.filter((item) => found(item, `.${path}`).some((each) => text(each) === wanted));
}
