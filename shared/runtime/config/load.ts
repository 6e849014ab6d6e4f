import { decode, jsonSchema, noSuchKey, type Problem } from '#shared/domain/decode.ts';
import { type Settings, settings } from '#shared/domain/settings.ts';
import { knownKeys, nearestKey, siblings } from './known-keys.ts';
import { heardFrom, sectionIn } from './original-logging.ts';
import { plainJson } from './plain-json.ts';
import { plainYaml } from './plain-yaml.ts';
import { type Flaw, type Page, type Place, parseYaml } from './yaml.ts';

/** A ConfigMap cannot hold more. */
export const maxConfigBytes = 1024 * 1024;

export type ConfigProblem = {
  readonly file: string;
  /** Absent where the file itself is the problem. */
  readonly place?: Place;
  /** `nodeAffinity.pools[0]`; empty for the document itself. */
  readonly path: string;
  readonly expected: string;
  readonly found?: string;
  readonly didYouMean?: string;
};

export type ConfigProblems = readonly [ConfigProblem, ...ConfigProblem[]];

export type Loaded =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Of what is read and not used. */
      readonly warnings?: readonly string[];
      /** Whether `log.level` is somebody's choice. */
      readonly isLevelStated?: boolean;
    }
  | { readonly ok: false; readonly problems: ConfigProblems };

export function loadSettings(text: string, { file }: { readonly file: string }): Loaded {
  if (Buffer.byteLength(text) > maxConfigBytes) return unreadable(file, tooLarge);
  // What a writer leaves for a moment must not switch everything back to the defaults.
  if (text === '') return unreadable(file, { expected: 'settings ({} for the defaults)' });

  const plain = plainJson(text) ?? plainYaml(text);
  const read = plain === undefined ? undefined : decode(settings, plain);
  // YAML knows the lines of what is wrong.
  return read?.ok === true ? loaded(file, plain, read.value) : loadYaml(text, file);
}

function loadYaml(text: string, file: string): Loaded {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const [first, ...rest] = parsed.flaws;
    const say = (flaw: Flaw) => flawed(file, flaw, parsed.page);
    return { ok: false, problems: [say(first), ...rest.map(say)] };
  }
  const decoded = decode(settings, parsed.value ?? {});
  if (decoded.ok) return loaded(file, parsed.value, decoded.value);

  const [first, ...rest] = decoded.problems;
  const say = (problem: Problem) => misfit(file, problem, parsed.page);
  return { ok: false, problems: inOrder(say(first), ...rest.map(say)) };
}

function loaded(file: string, written: unknown, settings: Settings): Loaded {
  const isStated = sectionIn(written, 'log')['level'] !== undefined;
  const { level, warnings } = heardFrom(
    settings.imageTrust.logging,
    sectionIn(written, 'imageTrust', 'logging'),
    { level: settings.log.level, isStated },
  );
  return {
    ok: true,
    settings: freeze({ ...settings, log: { ...settings.log, level } }),
    ...(warnings.length > 0 && { warnings: warnings.map((each) => `${file}: imageTrust.${each}`) }),
    ...(isStated && { isLevelStated: true }),
  };
}

/** As one reads the file. */
function inOrder(first: ConfigProblem, ...rest: readonly ConfigProblem[]): ConfigProblems {
  const [top = first, ...others] = [first, ...rest].sort((one, other) => {
    const [a, b] = [one.place, other.place];
    return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
  });
  return [top, ...others];
}

export const defaultSettings: Settings = freeze(defaults());

/** `gatehouse.yaml:3:11: nodeAffinity.weight: expected at most 100, found 500` */
export function sayProblem({ file, place, path, expected, found, didYouMean }: ConfigProblem) {
  const where = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const what =
    found === undefined ? `expected ${expected}` : `expected ${expected}, found ${found}`;
  const hint = didYouMean === undefined ? '' : `; did you mean ${didYouMean}?`;
  return [where, ...(path === '' ? [] : [path]), what + hint].join(': ');
}

export const tooLarge = {
  expected: `at most ${maxConfigBytes} bytes`,
  found: 'more',
};

export function unreadable(
  file: string,
  what: { readonly expected: string; readonly found?: string },
): { readonly ok: false; readonly problems: ConfigProblems } {
  return { ok: false, problems: [{ file, path: '', ...what }] };
}

function flawed(file: string, { offset, expected, found }: Flaw, page: Page): ConfigProblem {
  return { file, place: page.at(offset), path: '', expected, found };
}

function misfit(file: string, problem: Problem, page: Page): ConfigProblem {
  const path = problem.path.replace(/^\$\.?/, '');
  if (problem.expected === noSuchKey) {
    return { file, place: page.find(problem.path, 'key'), path, ...unknownKey(path) };
  }
  const { expected, found = 'nothing' } = problem;
  return { file, place: page.find(problem.path, 'value'), path, expected, found };
}

function unknownKey(path: string): Pick<ConfigProblem, 'expected' | 'found' | 'didYouMean'> {
  const known = knownKeys(jsonSchema(settings));
  const didYouMean = nearestKey(path, known);
  const expected = `one of ${siblings(path, known).join(', ')}`;
  const found = 'an unknown key';
  return didYouMean === undefined
    ? { expected, found }
    : { expected: 'a known key', found, didYouMean };
}

function defaults(): Settings {
  const decoded = decode(settings, {});
  if (!decoded.ok) throw new Error('the defaults do not satisfy their own schema');
  return decoded.value;
}

/** Everybody is handed the same object. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
  return value;
}
