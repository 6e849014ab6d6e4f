import type { IncomingMessage } from 'node:http';
import { parseAllDocuments, type Tags } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { noMessage, objectFrom } from '../protobuf/reading.ts';
import { badRequest, type Refusal, refusal } from '../refusal.ts';
import { jsonProblem } from './json-problem.ts';

const maxBytes = 3 * 1024 * 1024;

const tooLarge = refusal(413, {
  reason: 'RequestEntityTooLarge',
  message: `Request entity too large: limit is ${maxBytes}`,
  details: {},
});

const unknownFormat = refusal(415, {
  reason: 'UnsupportedMediaType',
  message:
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
});

export async function bytesOf(request: IncomingMessage): Promise<Buffer | Refusal> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Of a create or an update: one object. */
export function objectIn(
  bytes: Buffer,
  contentType: string | undefined,
  kind: string,
): JsonObject | Refusal {
  const type = typeOf(contentType);
  if (type === undefined) return unknownFormat;
  const read = readers[type](bytes);
  if ('value' in read) {
    if (isJsonObject(read.value)) {
      const no = mistold(read.value);
      return no === undefined ? read.value : unrecognized(kind, bytes, no);
    }
    return read.value === null ? {} : unrecognized(kind, bytes, noObject(read.value));
  }
  return unrecognized(kind, bytes, read.problem);
}

/** Of what is made the form is looked at first of all. */
export function unreadable(contentType: string | undefined): Refusal | undefined {
  return typeOf(contentType) === undefined ? unknownFormat : undefined;
}

function typeOf(contentType: string | undefined): keyof typeof readers | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf';
  return /^application\/yaml$/.test(type) ? 'yaml' : undefined;
}

/** Go's clients write built-in kinds in protobuf, and read the answer in JSON. */
const readers = { json: jsonIn, yaml: yamlIn, protobuf: objectFrom } as const;

type Read = { readonly value: Json } | { readonly problem: string };

export function jsonIn(bytes: Buffer): Read {
  try {
    return { value: JSON.parse(bytes.toString()) as Json };
  } catch (cause: unknown) {
    return { problem: `json parse error: ${jsonProblem(bytes.toString()) ?? String(cause)}` };
  }
}

/** JSON is YAML; its own reader is quicker by far. */
export function yamlIn(bytes: Buffer): Read {
  const text = bytes.toString();
  if (text.trimStart().startsWith('{')) {
    const read = jsonIn(bytes);
    if ('value' in read) return read;
  }
  try {
    return { value: firstDocument(text) };
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    return { problem: `yaml: ${why}` };
  }
}

/** As Go's reader understands YAML: `yes` is true and `0644` is octal, and what follows the first document is not read. */
function firstDocument(text: string): Json {
  const [first] = parseAllDocuments(text, { version: '1.1', customTags: withoutTimes });
  if (first === undefined || !('errors' in first)) return null;
  const [wrong] = first.errors;
  if (wrong !== undefined) throw wrong;
  return (first.toJS({ maxAliasCount: 100 }) ?? null) as Json;
}

/** Go knows no numbers to the base of sixty, and gives a date on as the text that it was. */
function withoutTimes(tags: Tags): Tags {
  return tags.filter(
    (tag) =>
      typeof tag === 'string' ||
      (tag.tag !== 'tag:yaml.org,2002:timestamp' && !('format' in tag && tag.format === 'TIME')),
  );
}

/** What it is, is read before all else. */
function mistold(object: JsonObject): string | undefined {
  const field = ['kind', 'apiVersion'].find((key) => typeof (object[key] ?? '') !== 'string');
  if (field === undefined) return undefined;
  const what = kindOf(object[field] ?? null);
  return `json parse error: json: cannot unmarshal ${what} into Go struct field .${field} of type string`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function noObject(value: Json): string {
  return `json parse error: json: cannot unmarshal ${kindOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

function unrecognized(kind: string, bytes: Buffer, problem: string): Refusal {
  const text = bytes.toString();
  if (kind === 'DeleteOptions') return badRequest(`couldn't get version/kind; ${problem}`);
  const shown =
    text === ''
      ? '<empty>'
      : text.startsWith('{')
        ? `${text.slice(0, 30)}${text.length > 30 ? ' ...' : ''}`
        : bytes.toString('hex').slice(0, 40);
  const why = problem === noMessage ? problem : `couldn't get version/kind; ${problem}`;
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${shown})`,
  );
}
