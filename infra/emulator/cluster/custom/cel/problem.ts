import {
  type Environment,
  EvaluationError,
  TypeError as MistypedError,
  ParseError,
} from '@marcbachmann/cel-js';
import { asWritten, parsed } from './parsing.ts';

type Wanted = {
  readonly wanted: 'bool' | 'string';
  readonly intro: string;
  /** Of another type. */
  otherwise(type: string): string;
  /** Where the library may know less of a type than the real server. */
  readonly takesAny?: boolean;
};

export function problemOf(
  environment: Environment,
  expression: string,
  { wanted, intro, otherwise, takesAny = false }: Wanted,
): string | undefined {
  try {
    const { error, type } = parsed(environment, expression).check();
    if (error !== undefined) return `${intro}${placed(environment, expression, error)}`;
    const isSo = type === wanted || (takesAny && type === 'dyn');
    return isSo ? undefined : otherwise(String(type));
  } catch (cause: unknown) {
    if (isCelError(cause)) return `${intro}${placed(environment, expression, cause)}`;
    throw cause;
  }
}

export type CelError = ParseError | EvaluationError | MistypedError;

export function isCelError(cause: unknown): cause is CelError {
  return (
    cause instanceof ParseError ||
    cause instanceof EvaluationError ||
    cause instanceof MistypedError
  );
}

/** As the server prints it: the line, and a mark below the place. */
function placed(environment: Environment, expression: string, error: CelError): string {
  const { text, at } = worded(environment, expression, error);
  const before = expression.slice(0, at).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split('\n')[before.length - 1] ?? '';
  const mark = `${'.'.repeat(column)}^`;
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${mark}`;
}

type Worded = { readonly text: string; readonly at: number };

/** The server marks the dot before a field, the operator between two values, the bracket of a call. */
function worded(environment: Environment, expression: string, error: CelError): Worded {
  const said = saidBy(error);
  const start = error.range?.start ?? 0;
  const field = /^No such key: (.*)$/.exec(said)?.[1];
  if (field !== undefined)
    return { text: `undefined field '${field}'`, at: Math.max(0, start - 1) };
  const name = /^Unknown variable: (.*)$/.exec(said)?.[1];
  if (name !== undefined) return { text: undeclared(name), at: start };
  const [, left = '', operator = '', right = ''] =
    /^no such overload: (\S+) (\S+) (\S+)$/.exec(said) ?? [];
  if (operator !== '') {
    const text = `found no matching overload for '_${operator}_' applied to '(${left}, ${right})'`;
    return { text, at: Math.max(start, expression.indexOf(` ${operator} `, start) + 1) };
  }
  const [, called = ''] = /^found no matching overload for '(\w+)\(/.exec(said) ?? [];
  const isKnown = environment.getDefinitions().functions.some((each) => each.name === called);
  if (called === '' || isKnown) return { text: said, at: start };
  return { text: undeclared(called), at: Math.max(start, expression.indexOf('(', start)) };
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function saidBy(error: CelError): string {
  return asWritten(error.summary ?? error.message.split('\n', 1)[0] ?? '');
}

const inGo: ReadonlyMap<string, string> = new Map([
  ['modulo by zero', 'modulus by zero'],
  ['int() type error: cannot convert to int', "type conversion error from 'string' to 'int'"],
  ['Optional value is not present', 'optional.none() dereference'],
]);

/** Of an evaluation. */
export function runtimeWording(error: CelError): string {
  const said = saidBy(error);
  const [, index] = /index out of bounds, index (-?\d+)/.exec(said) ?? [];
  if (index !== undefined) return `index out of bounds: ${index}`;
  return (
    inGo.get(said) ??
    said.replace(/^No such key: /, 'no such key: ').replace(/^(integer overflow): .*/, '$1')
  );
}
