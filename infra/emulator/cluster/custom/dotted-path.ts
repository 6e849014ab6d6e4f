import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

/** Where `.spec.replicas` leads, or why it does not: in the words of Go's accessors. */
export type Reached = { readonly value: Json } | { readonly why: string } | undefined;

export function reach(object: JsonObject, path: string): Reached {
  return stepsOf(path).reduce<Reached>((reached, step) => below(reached, step, path), {
    value: object,
  });
}

function below(reached: Reached, step: string, path: string): Reached {
  if (reached === undefined || !('value' in reached)) return reached;
  const { value } = reached;
  if (value === null) return undefined;
  if (!isJsonObject(value)) return { why: unlike(path, value, 'map[string]interface{}') };
  const next = Object.hasOwn(value, step) ? value[step] : undefined;
  return next === undefined ? undefined : { value: next };
}

export function unlike(path: string, value: Json, expected: string): string {
  return `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

export function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function goText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return value === null ? '<nil>' : String(value);
  const entries = Object.entries(value).map(([key, each]) => `${key}:${goText(each)}`);
  return `map[${entries.join(' ')}]`;
}

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
