import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from './json.ts';

/** A thin face over zod: the one place that would change with it. */
export type Decoder<T> = z.ZodMiniType<T>;
export type Decoded<D> = D extends z.ZodMiniType<infer T> ? T : never;

export type Problem = {
  /** `$.spec.containers[0].image` */
  readonly path: string;
  readonly expected: string;
  /** What stood there, shortened; absent where nothing did. */
  readonly found?: string;
};

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

export const text = z.string();
export const number = z.number();
export const integer = z.int();
export const flag = z.boolean();
/** What stands in `expected` where a key is one too many. */
export const noSuchKey = 'no such key';
export const anything = z.unknown();
/** Whatever stands in it: for what is large, often decoded, and asked for one key at most. */
export const anyObject = z.custom<JsonObject>(isJsonObject, 'an object');

export function integerFrom(least: number, most = Number.MAX_SAFE_INTEGER) {
  return z.int().check(z.gte(least), z.lte(most));
}

/** Keys that are not named are dropped: what travels on is the raw object, never this one. */
export function record<S extends z.core.$ZodShape>(shape: S) {
  return z.object(shape);
}

/** A key that is not named is a problem. For what people write by hand. */
export function strictRecord<S extends z.core.$ZodShape>(shape: S) {
  return z.strictObject(shape);
}

export function list<D extends z.core.$ZodType>(item: D) {
  return z.array(item);
}

export function dictionary<D extends z.core.$ZodType>(value: D) {
  return z.record(z.string(), value);
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
  return z.pipe(
    z.optional(z.nullable(decoder)),
    z.transform((value) => value ?? fallback),
  );
}

/** May be missing, and is then missing in what comes out as well. */
export function maybe<D extends z.core.$ZodType>(decoder: D) {
  return z.optional(decoder);
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
  return z.enum(values);
}

export function either<const D extends readonly [z.core.$ZodType, ...z.core.$ZodType[]]>(
  ...decoders: D
) {
  return z.union(decoders);
}

/** Narrows further: `refine(text, isDuration, 'a Go duration such as 1m30s')`. */
export function refine<T>(decoder: Decoder<T>, holds: (value: T) => boolean, expected: string) {
  return decoder.check(z.refine(holds, expected));
}

export function decode<T>(decoder: Decoder<T>, input: unknown): Result<T> {
  const result = z.safeParse(decoder, input);
  if (result.success) return { ok: true, value: result.data };

  const [first, ...rest] = result.error.issues.flatMap((issue) => problems(issue, input));
  return { ok: false, problems: [first ?? { path: '$', expected: 'something else' }, ...rest] };
}

export function describe({ path, expected, found }: Problem): string {
  return found === undefined
    ? `${path}: expected ${expected}`
    : `${path}: expected ${expected}, found ${found}`;
}

function problems(issue: z.core.$ZodIssue, input: unknown): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      expected: noSuchKey,
    }));
  }
  const found = foundAt(input, issue.path);
  const problem = { path: pathOf(issue.path), expected: expectation(issue) };
  return [found === undefined ? problem : { ...problem, found }];
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

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return words[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? String(issue.values[0])
        : `one of ${issue.values.map(String).join(', ')}`;
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

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (soFar, step) => (typeof step === 'number' ? `${soFar}[${step}]` : `${soFar}.${String(step)}`),
    '$',
  );
}

function foundAt(input: unknown, path: readonly PropertyKey[]): string | undefined {
  const found = path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined,
    input,
  );
  if (found === undefined) return undefined;
  if (typeof found !== 'object' || found === null) return JSON.stringify(found).slice(0, 60);
  return Array.isArray(found) ? 'a list' : 'an object';
}
