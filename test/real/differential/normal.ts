import { parse } from 'yaml';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Reply } from '#test/contracts/kube-api/calling.ts';

/** What stands in answers of one server for what the other calls otherwise. */
export type Renamed = Map<string, string>;

export type Normal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Of JSON that is written for people there are many. */
  readonly lines: number;
  readonly body: Json;
};

const compared = [
  'content-type',
  'warning',
  'retry-after',
  'allow',
  'location',
  'cache-control',
  'vary',
  'content-encoding',
  'x-content-type-options',
];

const code = /\b299 - /g;

export function normal({ status, headers, text }: Reply, renamed: Renamed): Normal {
  const told = compared.filter((name) => headers[name] !== undefined);
  const body = bodyOf(text);
  learn(body, renamed);
  return {
    status,
    lines: /^{\n/.test(text) ? 1 : 0,
    headers: Object.fromEntries(
      // A version may be called as the code of all warnings is.
      told.map((name) => [name, plainText(String(headers[name]).replace(code, ''), renamed)]),
    ),
    body: plain(body, renamed),
  };
}

function bodyOf(text: string): Json {
  try {
    const one = JSON.parse(text) as Json;
    return isJsonObject(one) && 'type' in one && 'object' in one ? withoutBookmarks([one]) : one;
  } catch {
    return linesOf(text) ?? yamlOf(text) ?? text;
  }
}

/** Go breaks long lines elsewhere. */
function yamlOf(text: string): Json | undefined {
  return /^apiVersion: /.test(text) ? (parse(text, { schema: 'failsafe' }) as Json) : undefined;
}

function linesOf(text: string): Json | undefined {
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    return withoutBookmarks(lines.map((line) => JSON.parse(line) as Json));
  } catch {
    return undefined;
  }
}

/** Versions and uids are the same where they are as new as the other's; of lists the version is anybody's. */
/** How often one comes is a matter of time, and of its object Go's clients read the version. */
function withoutBookmarks(lines: readonly Json[]): readonly Json[] {
  return lines.flatMap((line) => {
    if (!isJsonObject(line) || line['type'] !== 'BOOKMARK') return [line];
    const { kind, metadata = {} } = isJsonObject(line['object']) ? line['object'] : {};
    const isEnd = isJsonObject(metadata) && metadata['annotations'] !== undefined;
    return isEnd ? [{ type: 'BOOKMARK', object: { kind: kind ?? '', metadata } }] : [];
  });
}

function learn(value: Json, renamed: Renamed): void {
  if (isList(value)) for (const each of value) learn(each, renamed);
  if (!isJsonObject(value)) return;
  const { metadata, ...others } = value;
  if (isJsonObject(metadata)) learnFrom(metadata, value, renamed);
  for (const each of Object.values(others)) learn(each, renamed);
}

function learnFrom(
  { uid, resourceVersion, name, generateName }: JsonObject,
  { type }: JsonObject,
  renamed: Renamed,
) {
  if (typeof uid === 'string' && uid.length === 36) give(uid, 'uid', renamed);
  if (typeof resourceVersion === 'string' && resourceVersion.length > 1) {
    if (uid !== undefined) give(resourceVersion, 'version', renamed);
  }
  if (
    typeof generateName === 'string' &&
    typeof name === 'string' &&
    name.startsWith(generateName) &&
    name.length === generateName.length + 5
  ) {
    give(name, 'name', renamed);
  }
  return type;
}

function give(found: string, what: string, renamed: Renamed): void {
  const known = renamed.get(found);
  if (known !== undefined) return;
  const count = [...renamed.values()].filter((each) => each.startsWith(`<${what} `)).length;
  renamed.set(found, `<${what} ${count + 1}>`);
}

/** Without what is of a moment or of one server. */
export function plain(value: Json, renamed: Renamed = new Map(), key = ''): Json {
  if (typeof value === 'string') return plainString(value, key, renamed);
  if (typeof value === 'number')
    return key === 'nodePort' || key === 'healthCheckNodePort' ? '<port>' : value;
  if (isList(value))
    return ordered(
      key,
      value.map((each) => plain(each, renamed, key)),
    );
  if (!isJsonObject(value)) return value;
  // Of a list it is anybody's.
  if (
    key === 'metadata' &&
    value['uid'] === undefined &&
    typeof value['resourceVersion'] === 'string' &&
    value['resourceVersion'] !== ''
  ) {
    const { resourceVersion: _, ...others } = value;
    return { ...(plain(others, renamed) as JsonObject), resourceVersion: '<of a list>' };
  }
  const stood = standingFor(value);
  if (stood !== undefined) return stood;
  const entries = Object.entries(value).map(
    ([name, each]) => [name, plain(each, renamed, name)] as const,
  );
  return withoutOrder(Object.fromEntries(entries));
}

/** Whoever probes is called otherwise there; a definition is established a moment later, by the server itself. */
function standingFor({ username, acceptedNames }: JsonObject): string | undefined {
  if (username !== undefined) return '<whoever asks>';
  return acceptedNames === undefined ? undefined : '<as it is by then>';
}

/** Of several causes the text has them in any order. */
function withoutOrder(object: JsonObject): JsonObject {
  const { details, message } = object;
  if (
    typeof message === 'string' &&
    message.includes('typed patch object') &&
    message.includes('errors:\n')
  ) {
    return {
      ...object,
      message: message
        .split('\n')
        .sort()
        .join('\n')
        .replaceAll('&value.valueUnstructured', '&value'),
    };
  }
  const causes = isJsonObject(details) ? details['causes'] : undefined;
  if (causes === undefined || !isList(causes) || causes.length < 2 || typeof message !== 'string')
    return object;
  return { ...object, message: '<several>' };
}

function ordered(key: string, list: readonly Json[]): readonly Json[] {
  if (key === 'managedFields')
    return list
      .filter((each) => ownerOf(each) !== 'kube-apiserver')
      .toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1));
  // Who looks twice tells twice; people are shown each once. Of rules that were granted the order is anybody's.
  if (key === 'causes' || key === 'resourceRules' || key === 'nonResourceRules')
    return [...new Set(list.map((each) => JSON.stringify(each)))].sort();
  if (key === 'columnDefinitions')
    return list.map((each) => (isJsonObject(each) ? { ...each, description: '' } : each));
  return list;
}

function ownerOf(entry: Json): Json | undefined {
  return isJsonObject(entry) ? entry['manager'] : undefined;
}

function identityOf(entry: Json): string {
  const { manager, operation, subresource, apiVersion } = isJsonObject(entry) ? entry : {};
  return [manager, operation, subresource, apiVersion].join(' ');
}

function plainString(text: string, key: string, renamed: Renamed): Json {
  if (key === 'resourceVersion') return renamed.get(text) ?? text;
  if (key === 'continue' && text !== '') return '<token>';
  if (key === 'token' && isJwt.test(text)) return plain(claimsIn(text), renamed);
  if (/^clusterIPs?$/.test(key) && /^10\./.test(text)) return '<address>';
  if (/^\d+m?s$/.test(text)) return '<age>';
  return plainText(text, renamed);
}

const isJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What it says, but for when and by which key. */
function claimsIn(token: string): Json {
  const [, payload = ''] = token.split('.');
  const { exp, iat, nbf, jti, ...claims } = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  ) as JsonObject;
  return { ...claims, lasts: Number(exp) - Number(iat), names: typeof jti, waits: nbf === iat };
}

const today = /\b20(2[6-9])-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
export const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function plainText(text: string, renamed: Renamed): string {
  const named = [...renamed].reduce(
    (so, [known, name]) =>
      known.length > 5 || /^\d{2,}$/.test(known) ? replaced(so, known, name) : so,
    text,
  );
  return (
    named
      .replace(/(?<=kube-api-access-)[a-z0-9]{5}\b/g, '<name>')
      .replace(/, application\/vnd\.kubernetes\.protobuf(;stream=watch)?/g, '')
      .replace(ids, '<id>')
      .replace(today, (_, __, part?: string) => (part === undefined ? '<time>' : '<micro>'))
      // How the two differ is a dump of Go's own structs.
      .replace(/(?<=^[^\n]*(may not change fields|immutable after creation)[^\n]*)\n[\s\S]*/, '')
      .replace(/(?<=, current: )\d+/, '<version>')
      .replace(/(?<=current: )<version \d+>/, '<version>')
      .replace(/"(time|creationTimestamp)":"<(time|micro)>"/g, '"$1":"<time>"')
  );
}

function replaced(text: string, known: string, name: string): string {
  return text.includes(known)
    ? text.replace(new RegExp(`(?<![\\w:.-])${known.replaceAll('.', '\\.')}(?![\\w:-])`, 'g'), name)
    : text;
}
