import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { isBuiltIn } from '../patching/built-in.ts';
import { goText } from '../patching/go-text.ts';
import { badRequest, invalid, type Refusal, refusal } from '../refusal.ts';
import { metadataOf } from './metadata.ts';
import type { Write } from './write.ts';

const strict = /strict decoding error: .*$/s;
/** What a map holds is read as JSON is. */
function unread(said: string): string | undefined {
  const [moment] = /parsing time .*$/s.exec(said) ?? [];
  const [bytes] = /illegal base64 .*$/s.exec(said) ?? [];
  return moment ?? (bytes && `error decoding from json: ${bytes}`);
}

const anything = /(?<= cannot be handled as an? \w+: ).*$/s;

/** What was applied is merged first, and only then made the object that Go knows. */
export function unfitConfig(read: Refusal, config: Json | undefined): Refusal {
  const object = isJsonObject(config) ? config : {};
  const said = typeof read.body === 'string' ? '' : String(read.body['message']);
  const [why] = anything.exec(said) ?? [];
  if (why === undefined || strict.test(why)) return read;
  const { name = '', namespace = '' } = metadataOf(object);
  const stated = textAt(object, 'apiVersion');
  const type = `${stated.includes('/') ? '' : '/'}${stated}, Kind=${textAt(object, 'kind')}`;
  const told = merged(why);
  const message = `failed to convert new object (${String(namespace)}/${String(name)}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${told}`;
  return refusal(500, { message });
}

function merged(why: string): string {
  const [, type] = /^json: cannot unmarshal number \S+ into .* of type (u?int\d+)$/.exec(why) ?? [];
  if (type !== undefined) return `cannot convert float64 to ${type}`;
  return why.startsWith('illegal base64') ? `error decoding from json: ${why}` : why;
}

/** What a patch has made is shown whole; of a strategic one it is the patch. */
export function unfitPatch(read: Refusal, object: JsonObject, patch: Write['patch']): Refusal {
  const isPlain = patch !== undefined && !patch.contentType.includes('strategic');
  const said = typeof read.body === 'string' ? '' : String(read.body['message']);
  const [why] = isPlain
    ? (anything.exec(said) ?? [])
    : [strict.exec(said)?.[0] ?? unread(said) ?? restored(said)];
  if (why === undefined) return read;
  const shown =
    patch === undefined || isPlain
      ? JSON.stringify(inOrder(object, touchedBy(patch?.value)))
      : goText(patch.value);
  const message = `Invalid value: ${JSON.stringify(shown)}: ${why}`;
  return invalid({ kind: '', group: '', name: '' }, [
    { field: 'patch', reason: 'FieldValueInvalid', message },
  ]);
}

const kindsInGo: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'int64',
  bool: 'bool',
  array: 'slice',
  object: 'map',
};

/** A strategic patch is put together from maps, and not decoded: the same mistake in other words. */
function restored(said: string): string | undefined {
  const [, what = '', type = ''] = /cannot unmarshal (\w+) into .* of type (\S+)$/.exec(said) ?? [];
  const kind = kindsInGo[what];
  if (kind === undefined) return undefined;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type === 'string' && what === 'number') return 'cannot convert int64 to string';
  if (/^(string|bool|u?int\d*|float\d+)$/.test(type)) return `unrecognized type: ${type}`;
  return /^v\d\w*\.\w+$/.test(type) ? `cannot restore struct from: ${kind}` : undefined;
}

/** Go writes as a map what a patch has gone into; the rest keeps the order of its structs. */
function inOrder(object: JsonObject, touched: JsonObject): JsonObject {
  const sorted = Object.entries(object).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, value]) => {
      const below = touched[key];
      const isMap = isJsonObject(value) && isJsonObject(below);
      return [key, isMap ? inOrder(value, below) : value];
    }),
  );
}

/** The maps that a patch goes into, as the object that a merge patch is. */
function touchedBy(patch: Json | undefined): JsonObject {
  if (patch === undefined || !isList(patch)) return isJsonObject(patch) ? patch : {};
  const paths = patch.flatMap((operation) => {
    const { path, from } = isJsonObject(operation) ? operation : {};
    return [path, from].map((each) =>
      String(each ?? '')
        .split('/')
        .slice(1, -1),
    );
  });
  return paths.reduce<JsonObject>(withPath, {});
}

function withPath(object: JsonObject, [key, ...more]: readonly string[]): JsonObject {
  if (key === undefined) return object;
  const below = object[key];
  return { ...object, [key]: withPath(isJsonObject(below) ? below : {}, more) };
}

/** Another kind, or another version of it, than the path is of. */
export function mistyped(object: JsonObject, write: Write): Refusal | undefined {
  const { of, version } = write;
  const { kind, group, isCustom } = of.kind;
  const expected = apiVersion({ group, version });
  const stated = { kind: textAt(object, 'kind'), version: textAt(object, 'apiVersion') };
  if (isCustom) return mistypedCustom(object, { stated, kind, expected });
  const meant = { kind: stated.kind || kind, version: stated.version || expected };
  if (meant.kind === kind && meant.version === expected) return undefined;
  return meant.kind === kind && isOlder(meant.version, of)
    ? otherVersion(meant.version, expected)
    : unknownType(meant, write);
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function otherVersion(stated: string, expected: string): Refusal {
  return badRequest(
    `the API version in the data (${stated}) does not match the expected API version (${expected})`,
  );
}

type Custom = { readonly stated: Stated; readonly kind: string; readonly expected: string };

/** Of these nothing is taken for granted. */
function mistypedCustom(object: JsonObject, { stated, kind, expected }: Custom) {
  if (stated.kind === '') return untyped(object, kind);
  if (stated.version !== expected) return otherVersion(stated.version, expected);
  return stated.kind === kind ? undefined : otherCustomKind(object, stated, kind);
}

function untyped(object: JsonObject, kind: string): Refusal {
  const text = JSON.stringify(object);
  const shown = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${text}' (${shown})`,
  );
}

function otherCustomKind(object: JsonObject, stated: Stated, kind: string): Refusal {
  const message = `Invalid value: ${JSON.stringify(stated.kind)}: must be ${kind}`;
  const [group = ''] = stated.version.split('/');
  const name = textAt(metadataOf(object), 'name');
  return invalid({ group, kind: stated.kind, name }, [
    { field: 'kind', reason: 'FieldValueInvalid', message },
  ]);
}

type Stated = { readonly kind: string; readonly version: string };

function unknownType(stated: Stated, { of, parts }: Write): Refusal {
  const { kind, group } = of.kind;
  const last = stated.version.split('/').at(-1) ?? '';
  const why = isKnown(stated, parts)
    ? `converting (${last}.${stated.kind}) to (${group.split('.')[0] || 'core'}.${kind}): unknown conversion`
    : `no kind "${stated.kind}" is registered for version "${stated.version}" in scheme "pkg/runtime/scheme.go:111"`;
  return badRequest(`${stated.kind} in version "${last}" cannot be handled as a ${kind}: ${why}`);
}

/** The server's own kinds it can read, whichever are meant. */
function isKnown({ version: stated, kind }: Stated, { schemas }: Write['parts']): boolean {
  const [group, version] = stated.includes('/') ? stated.split('/') : ['', stated];
  return (
    isBuiltIn(stated) &&
    schemas.find({ group: group ?? '', version: version ?? '', kind }) !== undefined
  );
}

/** Of the same kind: served, or only known from the days of old. */
function isOlder(stated: string, { kind: { group, versions, resource } }: Write['of']): boolean {
  if (versions.some((version) => apiVersion({ group, version }) === stated)) return true;
  return retired[stated]?.includes(resource) === true;
}

const retired: Readonly<Record<string, readonly string[]>> = {
  'extensions/v1beta1': [
    'deployments',
    'daemonsets',
    'replicasets',
    'ingresses',
    'networkpolicies',
  ],
  'apps/v1beta1': ['deployments', 'statefulsets', 'controllerrevisions'],
  'apps/v1beta2': [
    'deployments',
    'daemonsets',
    'replicasets',
    'statefulsets',
    'controllerrevisions',
  ],
  'batch/v1beta1': ['cronjobs'],
  'networking.k8s.io/v1beta1': ['ingresses', 'ingressclasses'],
  'policy/v1beta1': ['poddisruptionbudgets'],
};
