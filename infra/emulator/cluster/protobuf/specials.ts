import type { Json } from '#shared/domain/json.ts';
import { messageFrom } from './reading.ts';
import { type Entry, entriesOf, signed } from './wire.ts';

/** Types that are something else in JSON than a message of their fields. */
export const specials: Readonly<Record<string, (bytes: Buffer) => Json>> = {
  quantity: (bytes) => textAt(bytes, 1),
  'int-or-string': intOrString,
  raw: (bytes) => jsonAt(bytes, 1),
  time,
  duration: (bytes) => durationText(numberAt(bytes, 1)),
  texts: (bytes) => [...entriesOf(bytes)].map(({ value }) => String(value)),
  'schema-or-bool': (bytes) => schemaAt(bytes, 2) ?? numberAt(bytes, 1) !== 0,
  'schema-or-list': (bytes) => schemaAt(bytes, 1) ?? all(bytes, 2).map(schemaFrom),
  'schema-or-texts': (bytes) => schemaAt(bytes, 1) ?? all(bytes, 2).map(String),
};

function all(bytes: Buffer, wanted: number): readonly Entry['value'][] {
  return [...entriesOf(bytes)].filter(({ number }) => number === wanted).map(({ value }) => value);
}

function textAt(bytes: Buffer, number: number): string {
  return String(all(bytes, number).at(-1) ?? '');
}

function numberAt(bytes: Buffer, number: number): number {
  const value = all(bytes, number).at(-1);
  return typeof value === 'bigint' ? signed(value) : 0;
}

function jsonAt(bytes: Buffer, number: number): Json {
  const text = textAt(bytes, number);
  return text === '' ? null : (JSON.parse(text) as Json);
}

function schemaAt(bytes: Buffer, number: number): Json | undefined {
  const value = all(bytes, number).at(-1);
  return value === undefined ? undefined : schemaFrom(value);
}

function schemaFrom(value: Entry['value']): Json {
  return Buffer.isBuffer(value) ? messageFrom(value, 'apiextensions/v1.JSONSchemaProps') : null;
}

function intOrString(bytes: Buffer): Json {
  return numberAt(bytes, 1) === 1 ? textAt(bytes, 3) : numberAt(bytes, 2);
}

/** Nothing at all is no time; microseconds are written where there are some. */
function time(bytes: Buffer): Json {
  if (bytes.length === 0) return null;
  const [seconds, nanos] = [numberAt(bytes, 1), numberAt(bytes, 2)];
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return nanos === 0
    ? `${whole}Z`
    : `${whole}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z`;
}

/** `1h0m0s` */
function durationText(nanos: number): string {
  const seconds = nanos / 1e9;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
