import type { Environment } from '@marcbachmann/cel-js';
import { compiledGo } from '../../valid/go-pattern.ts';

/** What Kubernetes has beyond the library's own: strings, version 2, and its regular expressions. */
export function registerStrings(to: Environment): void {
  to.registerFunction('string.charAt(int): string', (text: string, at: bigint) =>
    text.charAt(Number(at)),
  );
  to.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, into: string) => text.replaceAll(from, () => into),
  );
  to.registerFunction(
    'string.replace(string, string, int): string',
    (...[text, from, into, times]: [string, string, string, bigint]) =>
      replaced(text, { from, into, times: Number(times) }),
  );
  to.registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''));
  to.registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => found(text, pattern)[0] ?? '',
  );
  to.registerFunction('string.findAll(string): list<string>', found);
  to.registerFunction(
    'string.findAll(string, int): list<string>',
    (text: string, pattern: string, most: bigint) => found(text, pattern).slice(0, Number(most)),
  );
  to.registerFunction('string.format(list<dyn>): string', (text: string, values: unknown[]) =>
    formatted(text, values),
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

function found(text: string, pattern: string): string[] {
  const compiled = compiledGo(pattern);
  if (compiled === undefined) throw new Error(`error parsing regexp: ${pattern}`);
  const every = new RegExp(compiled.source, `${compiled.flags}g`);
  return [...text.matchAll(every)].map(([whole]) => whole);
}

/** `%s`, `%d`, `%f`, `%x`, `%%`; the rest of the verbs is not known here. */
function formatted(text: string, values: readonly unknown[]): string {
  const rest = [...values];
  return text.replaceAll(
    /%(?:\.(\d+))?([sdfxX%])/g,
    (_, digits: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      const value = rest.shift();
      if (verb === 'f') return Number(value).toFixed(Number(digits ?? 6));
      if (verb === 'x' || verb === 'X') return hexadecimal(value, verb);
      return shown(value);
    },
  );
}

function hexadecimal(value: unknown, verb: string): string {
  const text =
    typeof value === 'bigint' ? value.toString(16) : Buffer.from(String(value)).toString('hex');
  return verb === 'X' ? text.toUpperCase() : text;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, each]) => `${shown(key)}: ${shown(each)}`).join(', ')}}`;
  return value instanceof Date ? value.toISOString() : String(value);
}
