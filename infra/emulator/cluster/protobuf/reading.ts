import type { Json, JsonObject } from '#shared/domain/json.ts';
import { type Field, fieldsOf, messageOf } from './messages.ts';
import { specials } from './specials.ts';
import { type Entry, entriesOf, signed } from './wire.ts';

const magic = Buffer.from('k8s\0');

export const noMessage =
  'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';

export type Read = { readonly value: JsonObject } | { readonly problem: string };

/** What Go's clients send for the built-in kinds → the object that it would be in JSON. */
export function objectFrom(bytes: Buffer): Read {
  try {
    return readObject(bytes);
  } catch (cause: unknown) {
    return { problem: cause instanceof Error ? cause.message : String(cause) };
  }
}

function readObject(bytes: Buffer): Read {
  if (!bytes.subarray(0, 4).equals(magic)) return { problem: noMessage };
  const envelope = new Map(
    [...entriesOf(bytes.subarray(4))].map(({ number, value }) => [number, value]),
  );
  const type = new Map(
    [...entriesOf(bytesAt(envelope, 1))].map(({ number, value }) => [number, String(value)]),
  );
  const [apiVersion = '', kind = ''] = [type.get(1), type.get(2)];
  const message = messageOf(apiVersion, kind);
  if (message === undefined)
    return { problem: `no kind "${kind}" is registered for version "${apiVersion}"` };
  const object = messageFrom(bytesAt(envelope, 2), message);
  return { value: { kind, apiVersion, ...object } };
}

function bytesAt(envelope: ReadonlyMap<number, Entry['value']>, number: number): Buffer {
  const value = envelope.get(number);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

export function messageFrom(bytes: Buffer, message: string): JsonObject {
  const fields = fieldsOf(message);
  const object: Record<string, Json> = {};
  for (const { number, value } of entriesOf(bytes)) {
    const field = fields.get(number);
    if (field !== undefined) put(object, field, value);
  }
  return object;
}

function put(
  object: Record<string, Json>,
  [, key, type, keepsZero]: Field,
  value: Entry['value'],
): void {
  if (key === '') {
    Object.assign(object, messageFrom(value as Buffer, type));
  } else if (type.startsWith('[')) {
    object[key] = [
      ...((object[key] as readonly Json[] | undefined) ?? []),
      readValue(type.slice(1), value),
    ];
  } else if (type.startsWith('{')) {
    const [name, inner] = pairFrom(value as Buffer, type.slice(1));
    object[key] = { ...(object[key] as JsonObject | undefined), [name]: inner };
  } else {
    const read = readValue(type, value);
    if (keepsZero === 1 ? read !== null : !isZero(read)) object[key] = read;
  }
}

function isZero(value: Json): boolean {
  return value === null || value === '' || value === 0 || value === false;
}

function pairFrom(bytes: Buffer, type: string): readonly [string, Json] {
  let [name, inner]: [string, Json] = ['', type === 's' ? '' : null];
  for (const { number, value } of entriesOf(bytes)) {
    if (number === 1) name = String(value);
    else inner = readValue(type, value);
  }
  return [name, inner];
}

function readValue(type: string, value: Entry['value']): Json {
  if (typeof value === 'bigint') return type === 'b' ? value !== 0n : signed(value);
  if (type === 's') return value.toString();
  if (type === 'y') return value.toString('base64');
  if (type === 'f') return value.readDoubleLE(0);
  return specials[type]?.(value) ?? (type in specials ? null : messageFrom(value, type));
}
