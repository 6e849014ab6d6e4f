import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';

/** A value as Go prints it by `%v`. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (isList(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${entriesOf(value, goText, ' ')}]`;
}

/** By `%#v`. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value).sort();
  return `map[string]interface {}{${entries
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key] ?? null)}`)
    .join(', ')}}`;
}

function entriesOf(
  object: { readonly [key: string]: Json },
  show: (value: Json) => string,
  between: string,
): string {
  return Object.keys(object)
    .sort()
    .map((key) => `${key}:${show(object[key] ?? null)}`)
    .join(between);
}

/** By `%T`. */
export function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (isList(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'int64' : 'float64';
}
