import type { Environment } from '@marcbachmann/cel-js';
import { compiledGo } from '../../valid/go-pattern.ts';
import { inGo } from '../parsing.ts';
import { formatted, quoted } from './formatting.ts';

/** The receiver of `strings.quote(…)`: the library calls a function of a namespace on a constant. */
class StringsNamespace {}

/** What Kubernetes has beyond the library's own: strings, version 2, and its regular expressions. */
export function registerStrings(to: Environment): void {
  registerPlaces(to);
  registerPatterns(to);
  to.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, into: string) => text.replaceAll(from, () => into),
  );
  to.registerFunction(
    'string.replace(string, string, int): string',
    (...[text, from, into, times]: [string, string, string, bigint]) =>
      replaced(text, { from, into, times: Number(times) }),
  );
  to.registerFunction(`string.${inGo('lowerAscii')}(): string`, (text: string) =>
    text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  );
  to.registerFunction(`string.${inGo('upperAscii')}(): string`, (text: string) =>
    text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  );
  to.registerType('StringsNamespace', StringsNamespace);
  to.registerConstant('strings', 'StringsNamespace', new StringsNamespace());
  to.registerFunction('StringsNamespace.quote(string): string', (_: unknown, text: string) =>
    quoted(text),
  );
  to.registerFunction('string.format(list<dyn>): string', (text: string, values: unknown[]) =>
    formatted(text, values),
  );
}

/** Places are counted in runes. */
function registerPlaces(to: Environment): void {
  to.registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
    const runes = [...text];
    within(at, runes);
    return runes[Number(at)] ?? '';
  });
  const [first, last] = [inGo('indexOf'), inGo('lastIndexOf')];
  to.registerFunction(`string.${first}(string): int`, (text: string, part: string) =>
    firstIn([...text], [...part], 0n),
  );
  to.registerFunction(
    `string.${first}(string, int): int`,
    (text: string, part: string, from: bigint) => firstIn([...text], [...part], from),
  );
  to.registerFunction(`string.${last}(string): int`, (text: string, part: string) => {
    const runes = [...text];
    if (part === '') return BigInt(runes.length);
    return runes.length === 0 ? -1n : lastIn(runes, [...part], BigInt(runes.length - 1));
  });
  to.registerFunction(
    `string.${last}(string, int): int`,
    (text: string, part: string, from: bigint) => lastIn([...text], [...part], from),
  );
  to.registerFunction(`string.${inGo('substring')}(int): string`, (text: string, from: bigint) => {
    const runes = [...text];
    within(from, runes);
    return runes.slice(Number(from)).join('');
  });
  to.registerFunction(`string.${inGo('substring')}(int, int): string`, between);
}

function between(text: string, from: bigint, to: bigint): string {
  if (from > to) throw new Error(`invalid substring range. start: ${from}, end: ${to}`);
  const runes = [...text];
  within(from, runes);
  within(to, runes);
  return runes.slice(Number(from), Number(to)).join('');
}

function within(at: bigint, runes: readonly string[]): void {
  if (at < 0n || at > runes.length) throw new Error(`index out of range: ${at}`);
}

function firstIn(runes: readonly string[], part: readonly string[], from: bigint): bigint {
  if (part.length === 0) return from;
  if (from < 0n) throw new Error(`index out of range: ${from}`);
  return BigInt(runes.findIndex((_, at) => at >= from && isThere(runes, part, at)));
}

function lastIn(runes: readonly string[], part: readonly string[], from: bigint): bigint {
  if (part.length === 0) return from;
  if (from < 0n) throw new Error(`index out of range: ${from}`);
  if (from >= runes.length) return -1n;
  return BigInt(runes.findLastIndex((_, at) => at <= from && isThere(runes, part, at)));
}

function isThere(runes: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((rune, index) => runes[at + index] === rune);
}

function registerPatterns(to: Environment): void {
  const matches = (text: string, pattern: string) => compiled(pattern).test(text);
  to.registerFunction('matches(string, string): bool', matches);
  to.registerFunction(`string.${inGo('matches')}(string): bool`, matches);
  to.registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => found(text, pattern)[0] ?? '',
  );
  to.registerFunction('string.findAll(string): list<string>', found);
  to.registerFunction(
    'string.findAll(string, int): list<string>',
    (text: string, pattern: string, most: bigint) =>
      most < 0n ? found(text, pattern) : found(text, pattern).slice(0, Number(most)),
  );
}

function replaced(
  text: string,
  how: { readonly from: string; readonly into: string; readonly times: number },
): string {
  if (how.times < 0) return text.replaceAll(how.from, () => how.into);
  const parts = text.split(how.from);
  const head = parts.slice(0, how.times + 1).join(how.into);
  return [head, ...parts.slice(how.times + 1)].join(how.from);
}

function compiled(pattern: string): RegExp {
  const known = compiledGo(pattern);
  if (known === undefined) throw new Error(`error parsing regexp: ${pattern}`);
  return known;
}

function found(text: string, pattern: string): string[] {
  const { source, flags } = compiled(pattern);
  return [...text.matchAll(new RegExp(source, `${flags}g`))].map(([whole]) => whole);
}
