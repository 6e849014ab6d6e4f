/** What is known only by its shape. */
const shapes: Readonly<Record<string, RegExp>> = {
  '<any>': /^/,
  '<time>': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  '<micro>': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  '<uid>': /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  '<version>': /^[1-9]\d*$/,
};

/** The places where the answer is not as expected; more than expected may stand in objects, not in lists. */
export function mismatches(found: unknown, expected: unknown, path = '$'): readonly string[] {
  if (typeof expected === 'string') return textMismatch(found, expected, path);
  if (Array.isArray(expected)) return listMismatch(found, expected, path);
  if (typeof expected === 'object' && expected !== null) return mapMismatch(found, expected, path);
  const isSo = expected === null ? (found ?? null) === null : found === expected;
  return isSo ? [] : [off(path, found, expected)];
}

function mapMismatch(found: unknown, expected: object, path: string): readonly string[] {
  if (typeof found !== 'object' || found === null) return [off(path, found, expected)];
  return Object.entries(expected).flatMap(([key, each]) => {
    const there: unknown = Reflect.get(found, key);
    return unordered.includes(key) && Array.isArray(each)
      ? anyOrder(there, each, `${path}.${key}`)
      : mismatches(there, each, `${path}.${key}`);
  });
}

/** The real one finds causes and endpoints by walks over Go's maps, and sorts managers by the second of their write. */
const unordered = ['causes', 'endpoints', 'managedFields'];

function anyOrder(found: unknown, expected: readonly unknown[], path: string): readonly string[] {
  if (!Array.isArray(found) || found.length !== expected.length)
    return [off(path, found, expected)];
  const missing = expected.filter(
    (each) => !found.some((one) => mismatches(one, each).length === 0),
  );
  return missing.length === 0 ? [] : [off(path, found, missing)];
}

function textMismatch(found: unknown, expected: string, path: string): readonly string[] {
  const pattern = shapes[expected] ?? patternOf(expected);
  const isSo =
    pattern === undefined ? found === expected : found !== undefined && pattern.test(String(found));
  return isSo ? [] : [off(path, found, expected)];
}

/** `/…/` is a regular expression. */
function patternOf(text: string): RegExp | undefined {
  const [, source] = /^\/(.+)\/$/s.exec(text) ?? [];
  return source === undefined ? undefined : new RegExp(source, 's');
}

function listMismatch(
  found: unknown,
  expected: readonly unknown[],
  path: string,
): readonly string[] {
  if (!Array.isArray(found) || found.length !== expected.length)
    return [off(path, found, expected)];
  return expected.flatMap((each, at) => mismatches(found[at], each, `${path}[${at}]`));
}

function off(path: string, found: unknown, expected: unknown): string {
  return `${path}: expected ${brief(expected)}, found ${brief(found)}`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text;
}

/** `metadata.labels.a`, `items.0.metadata.name`, `length`; keys with dots stand in brackets: `metadata.labels[a.b/c]`. */
export function valueAt(value: unknown, path: string): unknown {
  const keys = [...path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
