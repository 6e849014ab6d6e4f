import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Each must hold. */
export type FieldSelector = readonly FieldRequirement[];

export type FieldRequirement = {
  /** `metadata.name` */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
};

/** `metadata.name=x,spec.nodeName!=y`, as kubectl's `--field-selector` takes it; `undefined` where it is none. */
export function parseFieldSelector(text: string): FieldSelector | undefined {
  const requirements = termsOf(text).map(parseTerm);
  return requirements.includes(undefined)
    ? undefined
    : requirements.filter((requirement) => requirement !== undefined);
}

export function fieldSelectorText(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${escaped(value)}`)
    .join(',');
}

/** As the API server judges it: by the text of what stands there. */
export function matchesFields(selector: FieldSelector, object: JsonObject): boolean {
  return selector.every(
    ({ field, operator, value }) => (textOf(object, field) === value) === (operator === '='),
  );
}

type Reading = { readonly at?: readonly string[]; readonly otherwise?: string };

/** Where it looks instead, one place after another, and what it reads where the object says nothing: else that is the empty text. */
const readings: ReadonlyMap<string, Reading> = new Map([
  ['spec.unschedulable', { otherwise: 'false' }],
  ['spec.hostNetwork', { otherwise: 'false' }],
  ['spec.host', { at: ['spec.nodeName'] }],
  ['status.successful', { at: ['status.succeeded'], otherwise: '0' }],
  ['source', { at: ['source.component', 'reportingComponent'] }],
]);

function textOf(object: JsonObject, field: string): string {
  const { at = [field], otherwise = '' } = readings.get(field) ?? {};
  const text = at.map((place) => textAt(object, place)).find((each) => each !== '');
  return text ?? otherwise;
}

/** At the commas that no backslash escapes. Empty terms are skipped. */
function termsOf(text: string): readonly string[] {
  return text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? [];
}

/** A value may hold no bare comma, equals sign or backslash. */
function parseTerm(term: string): FieldRequirement | undefined {
  const { field, operator, value } =
    /^(?<field>(?:[^=!]|!(?!=))+)(?<operator>!=|==?)(?<value>(?:[^\\,=]|\\[\\,=])*)$/.exec(term)
      ?.groups ?? {};
  if (field === undefined || value === undefined) return undefined;
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
}

function textAt(object: JsonObject, field: string): string {
  const value = field
    .split('.')
    .reduce<Json | undefined>(
      (inner, key) => (isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      object,
    );
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

function escaped(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

function unescaped(value: string): string {
  return value.replace(/\\([\\,=])/g, '$1');
}
