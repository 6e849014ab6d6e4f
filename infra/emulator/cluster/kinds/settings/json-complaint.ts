import { isJsonObject } from '#shared/domain/json.ts';

/** What Go's decoder says of a text that shall be a JSON object; of the more intricate faults only that there is one. */
export function jsonComplaint(text: string): string | undefined {
  if (text.trim() === '') return 'unexpected end of JSON input';
  const parsed = parse(text);
  if (parsed.kind === 'broken') return complaintOf(text, parsed.at);
  if (parsed.value === null || isJsonObject(parsed.value)) return undefined;
  const found = Array.isArray(parsed.value) ? 'array' : goType(typeof parsed.value);
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

type Parsed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly at: number | undefined };

function parse(text: string): Parsed {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (cause: unknown) {
    const [, at] = /position (\d+)/.exec(String(cause)) ?? [];
    return { kind: 'broken', at: at === undefined ? undefined : Number(at) };
  }
}

function complaintOf(text: string, at: number | undefined): string {
  if (at !== undefined && at >= text.length) return 'unexpected end of JSON input';
  const literal = literalComplaint(text.trimStart());
  if (literal !== undefined) return literal;
  const sign = text[at ?? 0] ?? '';
  const place = at === undefined || at === 0 ? 'looking for beginning of value' : placeOf(text, at);
  return `invalid character '${sign}' ${place}`;
}

/** `no` begins like `null`. */
function literalComplaint(text: string): string | undefined {
  const word = ['null', 'true', 'false'].find((each) => each[0] === text[0]);
  if (word === undefined) return undefined;
  const at = [...word].findIndex((sign, index) => text[index] !== sign);
  if (at === -1 || at >= text.length) return undefined;
  return `invalid character '${text[at]}' in literal ${word} (expecting '${word[at]}')`;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).trimEnd().at(-1);
  if (before === '{' || before === ',') return 'looking for beginning of object key string';
  return before === ':' ? 'looking for beginning of value' : 'after top-level value';
}

function goType(type: string): string {
  return type === 'boolean' ? 'bool' : type;
}
