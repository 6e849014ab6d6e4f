import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from './json.ts';
import { foundAt, noSuchKey, type Problem, pathOf } from './problem.ts';
import {
  doubt,
  each,
  fields,
  maybeMissing,
  narrowed,
  nullish,
  orElse,
  type Reader,
  where,
} from './quick-read.ts';

export { describe, noSuchKey, type Problem } from './problem.ts';

/** A thin face over zod: the one place that would change with it. */
export type Decoder<T> = z.ZodMiniType<T>;
export type Decoded<D> = D extends z.ZodMiniType<infer T> ? T : never;

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

/** What every decoder made of these is read by as long as nothing is wrong. One without is decoded by zod always. */
const readers = new WeakMap<z.core.$ZodType, Reader>();

function readBy<D extends z.core.$ZodType>(decoder: D, reader: Reader | undefined): D {
  if (reader !== undefined) readers.set(decoder, reader);
  return decoder;
}

function derived(decoder: z.core.$ZodType, derive: (reader: Reader) => Reader): Reader | undefined {
  const reader = readers.get(decoder);
  return reader === undefined ? undefined : derive(reader);
}

export const text = readBy(
  z.string(),
  where((input) => typeof input === 'string'),
);
export const number = readBy(z.number(), where(Number.isFinite));
export const integer = readBy(z.int(), where(Number.isSafeInteger));
export const flag = readBy(
  z.boolean(),
  where((input) => typeof input === 'boolean'),
);
export const anything = readBy(
  z.unknown(),
  where(() => true),
);
/** Whatever stands in it: for what is large, often decoded, and asked for one key at most. */
export const anyObject = readBy(
  z.custom<JsonObject>(isJsonObject, 'an object'),
  where(isJsonObject),
);

export function integerFrom(least: number, most = Number.MAX_SAFE_INTEGER) {
  return z.int().check(z.gte(least), z.lte(most));
}

/** Keys that are not named are dropped: what travels on is the raw object, never this one. */
export function record<S extends z.core.$ZodShape>(shape: S) {
  return readBy(z.object(shape), readerOf(shape));
}

/** Of all its fields, or none. */
function readerOf(shape: z.core.$ZodShape): Reader | undefined {
  const known = new Map<string, Reader>();
  for (const [key, decoder] of Object.entries(shape)) {
    const reader = readers.get(decoder);
    if (reader === undefined || key === '__proto__') return undefined;
    known.set(key, reader);
  }
  return fields(known);
}

/** A key that is not named is a problem. For what people write by hand. */
export function strictRecord<S extends z.core.$ZodShape>(shape: S) {
  return z.strictObject(shape);
}

export function list<D extends z.core.$ZodType>(item: D) {
  return readBy(z.array(item), derived(item, each));
}

/** Of what strangers send: too long a one is refused before its items are looked at, since each wrong one costs. */
export function listUpTo<D extends z.core.$ZodType>(most: number, item: D) {
  const isShort = (input: unknown) => Array.isArray(input) && input.length <= most;
  return readBy(
    z.pipe(z.custom<unknown[]>(isShort, `a list of at most ${most}`), z.array(item)),
    derived(item, (reader) => narrowed(each(reader), isShort)),
  );
}

export function dictionary<D extends z.core.$ZodType>(value: D) {
  return z.record(z.string(), value);
}

/** As `listUpTo`. */
export function dictionaryUpTo<D extends z.core.$ZodType>(most: number, value: D) {
  const isShort = (input: unknown) => isJsonObject(input) && Object.keys(input).length <= most;
  const expected = `an object of at most ${most} keys`;
  return z.pipe(z.custom<Record<string, unknown>>(isShort, expected), z.record(z.string(), value));
}

/** May be missing or null (Go writes both), and is then `fallback`. */
export function optional<D extends z.core.$ZodType>(
  decoder: D,
): z.ZodMiniType<z.output<D> | undefined>;
export function optional<D extends z.core.$ZodType>(
  decoder: D,
  fallback: z.output<D>,
): z.ZodMiniType<z.output<D>>;
export function optional(decoder: z.core.$ZodType, fallback?: unknown) {
  return readBy(
    z.pipe(
      z.optional(z.nullable(decoder)),
      z.transform((value) => value ?? fallback),
    ),
    derived(decoder, (reader) => orElse(nullish(reader), fallback)),
  );
}

/** May be missing, and is then missing in what comes out as well. */
export function maybe<D extends z.core.$ZodType>(decoder: D) {
  return readBy(z.optional(decoder), derived(decoder, maybeMissing));
}

/** A setting that may be left out. Unlike `optional`, an empty key is a mistake and said to be one. */
export function preset<D extends z.core.$ZodType>(decoder: D, value: z.output<D>, about = '') {
  const setting = z._default(decoder, value as z.core.util.NoUndefined<z.output<D>>);
  return about === '' ? setting : setting.check(z.describe(about));
}

/** A group of settings, each with its own preset; the whole group may be left out. */
export function section<S extends z.core.$ZodShape>(shape: S, about = '') {
  const group = z.prefault(
    z.strictObject(shape),
    {} as z.input<z.ZodMiniObject<S, z.core.$strict>>,
  );
  return about === '' ? group : group.check(z.describe(about));
}

export function jsonSchema(decoder: z.core.$ZodType): object {
  return z.toJSONSchema(decoder, { io: 'input', unrepresentable: 'any' });
}

export function choice<const V extends readonly [string, ...string[]]>(...values: V) {
  const known: readonly unknown[] = values;
  return readBy(
    z.enum(values),
    where((input) => known.includes(input)),
  );
}

export function either<const D extends readonly [z.core.$ZodType, ...z.core.$ZodType[]]>(
  ...decoders: D
) {
  return z.union(decoders);
}

/** Narrows further: `refine(text, isDuration, 'a Go duration such as 1m30s')`. */
export function refine<T>(decoder: Decoder<T>, holds: (value: T) => boolean, expected: string) {
  return readBy(
    decoder.check(z.refine(holds, expected)),
    derived(decoder, (reader) => narrowed(reader, holds)),
  );
}

export function decode<T>(decoder: Decoder<T>, input: unknown): Result<T> {
  const read = readers.get(decoder)?.read(input) ?? doubt;
  // Every decoder says what type comes out, and its reader is made of the same parts.
  if (read !== doubt) return { ok: true, value: read as T };

  const result = z.safeParse(decoder, input);
  if (result.success) return { ok: true, value: result.data };

  const [first, ...rest] = result.error.issues.flatMap((issue) => problemsOf(issue, input));
  return { ok: false, problems: [first ?? { path: '$', expected: 'something else' }, ...rest] };
}

/** Whether what stands there is in nothing that comes out. Where that is not plain, it may be. */
export function drops(decoder: z.core.$ZodType, path: readonly string[]): boolean {
  const { def } = (decoder as z.core.$ZodTypes)._zod;
  const [key, ...rest] = path;
  if (key === undefined) return false;
  switch (def.type) {
    case 'object': {
      const below = def.shape[key];
      return def.catchall === undefined && (below === undefined || drops(below, rest));
    }
    case 'optional':
    case 'nullable':
      return drops(def.innerType, path);
    case 'pipe':
      return drops(def.in, path);
    default:
      return false;
  }
}

function problemsOf(issue: z.core.$ZodIssue, input: unknown): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      expected: noSuchKey,
    }));
  }
  const meant = issue.code === 'invalid_union' ? meantOf(issue) : [];
  if (meant.length > 0) return meant.flatMap((each) => problemsOf(each, input));
  const found = foundAt(input, issue.path);
  const problem = { path: pathOf(issue.path), expected: expectation(issue) };
  return [found === undefined ? problem : { ...problem, found }];
}

/** Of several forms the one that it nearly has, where that is one: only something in it is wrong. */
function meantOf({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const isInside = (issue: z.core.$ZodIssue) => issue.path.length > 0;
  const isKey = (issue: z.core.$ZodIssue) => issue.code === 'unrecognized_keys';
  const near = errors.filter((issues) => issues.every(isInside));
  const misspelled = errors.filter((issues) =>
    issues.every((each) => isInside(each) || isKey(each)),
  );
  const [only, ...others] = near.length > 0 ? near : misspelled;
  if (only === undefined || others.length > 0) return [];
  return only.map((each) => ({ ...each, path: [...path, ...each.path] }));
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  number: 'a number',
};

/** A text that YAML would read as something else is shown as it must be written. */
function valueText(value: unknown): string {
  const isMistakable = typeof value === 'string' && /^([\d.]+|true|false|null)$/.test(value);
  return isMistakable ? JSON.stringify(value) : String(value);
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return words[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? valueText(issue.values[0])
        : `one of ${issue.values.map(valueText).join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'invalid_union':
      return 'one of the allowed forms';
    default:
      return issue.message ?? 'something else';
  }
}
