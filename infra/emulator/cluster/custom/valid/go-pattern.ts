import { setFlagsFromString } from 'node:v8';

// JavaScript's regular expressions backtrack; with this V8 falls back to a linear engine instead of hanging, as Go's never does.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

const known = new Map<string, RegExp | undefined>();

export function matchesGo(pattern: string, value: string): boolean {
  return compiledGo(pattern)?.test(value) ?? false;
}

/** RE2's syntax as far as JavaScript has it in other letters; `undefined` where it is no pattern. */
export function compiledGo(pattern: string): RegExp | undefined {
  if (!known.has(pattern)) known.set(pattern, compile(pattern));
  return known.get(pattern);
}

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

function compile(pattern: string): RegExp | undefined {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(pattern) ?? [];
  const source = rest
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole)
    .replaceAll(/\\A/g, '^')
    .replaceAll(/\\z/g, '$')
    .replaceAll(/\(\?P</g, '(?<');
  return tried(source, /\\[pP]/.test(source) ? `${flags}u` : flags);
}

function tried(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (cause: unknown) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
