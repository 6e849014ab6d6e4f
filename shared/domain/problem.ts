export type Problem = {
  /** `$.spec.containers[0].image` */
  readonly path: string;
  readonly expected: string;
  /** What stood there, shortened; absent where nothing did. */
  readonly found?: string;
};

/** What stands in `expected` where a key is one too many. */
export const noSuchKey = 'no such key';

export function describe({ path, expected, found }: Problem): string {
  if (expected === noSuchKey) return `${path}: there is no such key`;
  return found === undefined
    ? `${path}: expected ${expected}`
    : `${path}: expected ${expected}, found ${found}`;
}

/** `$.spec.containers[0].image` */
export function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (soFar, step) => (typeof step === 'number' ? `${soFar}[${step}]` : `${soFar}.${String(step)}`),
    '$',
  );
}

/** What stands at the path, shortened. */
export function foundAt(input: unknown, path: readonly PropertyKey[]): string | undefined {
  const found = path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    input,
  );
  if (found === undefined) return undefined;
  if (typeof found !== 'object' || found === null) return textOf(found).slice(0, 60);
  return Array.isArray(found) ? 'a list' : 'an object';
}

/** What a function file exports may hold what JSON cannot say. */
function textOf(value: unknown): string {
  return typeof value === 'function' ? 'a function' : String(JSON.stringify(value));
}
