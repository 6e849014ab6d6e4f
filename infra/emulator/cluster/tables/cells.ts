import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Column } from './table.ts';

/** What is at `spec.containers`, or nothing. */
export function at(object: Json | undefined, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>(
      (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
      object,
    );
}

export function listAt(object: Json | undefined, path: string): readonly JsonObject[] {
  const value = at(object, path);
  return value !== undefined && isList(value) ? value.filter(isJsonObject) : [];
}

export function textAt(object: Json | undefined, path: string): string {
  const value = at(object, path);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

export function textsAt(object: Json | undefined, path: string): readonly string[] {
  const value = at(object, path);
  return value !== undefined && isList(value) ? value.map(String) : [];
}

export function numberAt(object: Json | undefined, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

/** `5m3s`, `2d`: since it was made. */
export function age({ metadata }: JsonObject, now: Date): string {
  return since(textAt(metadata, 'creationTimestamp'), now);
}

export function since(time: string, now: Date): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return '<unknown>';
  return duration(Math.floor((now.getTime() - then) / 1_000));
}

/** As kubectl says it: two units while they are small, then one. */
export function duration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (minutes < 10) return two([minutes, 'm'], [seconds % 60, 's']);
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two([hours, 'h'], [minutes % 60, 'm']);
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return two([days, 'd'], [hours % 24, 'h']);
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2_920 ? two([years, 'y'], [days % 365, 'd']) : `${years}y`;
}

function two([big, unit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${big}${unit}` : `${big}${unit}${small}${smallUnit}`;
}

export function stated(text: string): string {
  return text === '' ? '<none>' : text;
}

/** `app=web,tier=front` */
export function labelsText(labels: Json | undefined): string {
  if (!isJsonObject(labels)) return '<none>';
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}=${String(labels[key])}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

export function selectorText(selector: Json | undefined): string {
  if (!isJsonObject(selector)) return '<none>';
  const { matchLabels, matchExpressions } = selector;
  const labels = isJsonObject(matchLabels)
    ? Object.entries(matchLabels).map(([key, value]) => `${key}=${String(value)}`)
    : [];
  const terms =
    matchExpressions !== undefined && isList(matchExpressions)
      ? matchExpressions.filter(isJsonObject).map(termText)
      : [];
  return stated([...labels, ...terms].toSorted().join(','));
}

function termText({ key, operator, values }: JsonObject): string {
  const listed =
    values !== undefined && isList(values) ? values.map(String).toSorted().join(',') : '';
  if (operator === 'Exists') return String(key);
  if (operator === 'DoesNotExist') return `!${String(key)}`;
  return `${String(key)} ${operator === 'In' ? 'in' : 'notin'} (${listed})`;
}

export const nameColumn: Column = {
  ...{ name: 'Name', type: 'string', format: 'name' },
  cell: ({ metadata }) => textAt(metadata, 'name'),
};

export const ageColumn: Column = { name: 'Age', type: 'string', cell: age };

export function text(name: string, cell: Column['cell'], priority = 0): Column {
  return { name, type: 'string', priority, cell };
}

export function count(name: string, cell: Column['cell'], priority = 0): Column {
  return { name, type: 'integer', priority, cell };
}

export function flag(name: string, cell: Column['cell']): Column {
  return { name, type: 'boolean', cell };
}
