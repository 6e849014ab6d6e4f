import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, type Edit, partOf, preset, put, textOf, without } from '../words/edit.ts';
import { forbidden, invalid, required, tooLong } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { configKey } from '../words/names.ts';
import {
  child,
  type Errors,
  entries,
  ifNone,
  none,
  object,
  type Place,
  text,
} from '../words/place.ts';
import { jsonComplaint } from './json-complaint.ts';
import { unpaired } from './key-pair.ts';

const mostBytes = 1024 * 1024;

/** Plain text goes where the encoded values are, and wins over them. */
const encoded: Edit = (secret) => {
  const plain = partOf(secret, 'stringData');
  if (Object.keys(plain).length === 0) return without(secret, ['stringData']);
  const values = Object.entries(plain).map(([key, value]) => [key, base64(String(value))]);
  const data = { ...partOf(secret, 'data'), ...Object.fromEntries(values) };
  return put(without(secret, ['stringData']), 'data', data);
};

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}

export const secret: KindRules = {
  defaults: all(encoded, preset({ type: 'Opaque' })),
  kept: (next, before) => put(next, 'type', textOf(next, 'type') || (before['type'] ?? 'Opaque')),
  checks: (at) => [...checkedData(child(at, 'data')), ...checkedType(at)],
  changes: (next, before) => [
    ...immutable(child(next, 'type'), before['type']),
    ...checkedLock(next, before, ['data']),
  ],
  warnings: unpairedIn,
};

function unpairedIn(whole: JsonObject): readonly string[] {
  if (whole['type'] !== 'kubernetes.io/tls') return [];
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) =>
    Buffer.from(textOf(partOf(whole, 'data'), name), 'base64').toString(),
  );
  const why = unpaired(certificate, key);
  return why === undefined ? [] : [why];
}

export const configMap: KindRules = {
  checks: checkedMap,
  changes: (next, before) => checkedLock(next, before, ['data', 'binaryData']),
};

/** Once `immutable`, always. */
function checkedLock(next: Place, before: JsonObject, keys: readonly string[]): Errors {
  if (before['immutable'] !== true) return none;
  const why = 'field is immutable when `immutable` is set';
  const lock = child(next, 'immutable');
  return [
    ...(lock.value === true ? none : [forbidden(lock, why)]),
    ...keys
      .map((key) => [child(next, key), before[key] ?? null] as const)
      .filter(([at, was]) => !sameJson(ifNone(at), was))
      .map(([at]) => forbidden(at, why)),
  ];
}

function checkedKeys(at: Place): Errors {
  return entries(at).flatMap(([key, place]) =>
    configKey(key).map((complaint) => invalid(place, complaint, key)),
  );
}

function decodedBytes({ value }: Place): number {
  return typeof value === 'string' ? Buffer.from(value, 'base64').length : 0;
}

function checkedData(at: Place): Errors {
  const bytes = entries(at).reduce((sum, [, value]) => sum + decodedBytes(value), 0);
  return [...checkedKeys(at), ...(bytes > mostBytes ? [tooLong(at, mostBytes)] : none)];
}

function checkedMap(at: Place): Errors {
  const [data, binary] = [child(at, 'data'), child(at, 'binaryData')];
  const twice = entries(data).filter(([key]) => key in object(binary));
  const bytes =
    entries(data).reduce((sum, [, value]) => sum + Buffer.byteLength(text(value)), 0) +
    entries(binary).reduce((sum, [, value]) => sum + decodedBytes(value), 0);
  return [
    ...checkedKeys(data),
    ...twice.map(([key, place]) => invalid(place, 'duplicate of key present in binaryData', key)),
    ...checkedKeys(binary),
    ...(bytes > mostBytes ? [tooLong({ path: '[]', value: null }, mostBytes)] : none),
  ];
}

/** Types that say what must be in it. */
function checkedType(at: Place): Errors {
  const data = child(at, 'data');
  switch (text(child(at, 'type'))) {
    case 'kubernetes.io/service-account-token':
      return checkedAccount(at);
    case 'kubernetes.io/dockercfg':
      return checkedJson(keyOf(data, '.dockercfg'));
    case 'kubernetes.io/dockerconfigjson':
      return checkedJson(keyOf(data, '.dockerconfigjson'));
    case 'kubernetes.io/basic-auth':
      return ['username', 'password'].some((key) => key in object(data))
        ? none
        : ['username', 'password'].map((key) => required(keyOf(data, key)));
    case 'kubernetes.io/ssh-auth':
      return present(data, ['ssh-privatekey']);
    case 'kubernetes.io/tls':
      return present(data, ['tls.crt', 'tls.key']);
    default:
      return none;
  }
}

function keyOf({ path, value }: Place, key: string): Place {
  return { path: `${path}[${key}]`, value: isJsonObject(value) ? value[key] : undefined };
}

function present(data: Place, keys: readonly string[]): Errors {
  return keys.filter((key) => !(key in object(data))).map((key) => required(keyOf(data, key)));
}

function checkedAccount(at: Place): Errors {
  const name = keyOf(child(at, 'metadata', 'annotations'), 'kubernetes.io/service-account.name');
  return text(name) === '' ? [required(name)] : none;
}

/** The value is not shown: it holds a password. */
function checkedJson(at: Place): Errors {
  if (at.value === undefined) return [required(at)];
  const complaint = jsonComplaint(Buffer.from(text(at), 'base64').toString());
  return complaint === undefined ? none : [invalid(at, complaint, '<secret contents redacted>')];
}
