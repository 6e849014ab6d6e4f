import type { Environment } from '@marcbachmann/cel-js';
import { newEnvironment } from '../../custom/cel/environment.ts';
import { parsed } from '../../custom/cel/parsing.ts';
import { duplicate, invalid, required, says, tooMany } from '../words/errors.ts';
import { qualifiedName } from '../words/names.ts';
import { child, type Errors, isEmpty, items, none, type Place, text } from '../words/place.ts';

const most = 64;

/** Each has a name of its own and an expression that can be read. */
export function checkedConditions(hook: Place): Errors {
  const list = child(hook, 'matchConditions');
  const all = items(hook, 'matchConditions');
  const names = new Set<string>();
  const many = all.length > most ? [tooMany(list, all.length, most)] : none;
  return [
    ...many,
    ...all.flatMap((at) => {
      const name = child(at, 'name');
      const again = !isEmpty(name) && names.has(text(name)) ? [duplicate(name)] : none;
      names.add(text(name));
      return [
        ...checkedExpression(child(at, 'expression')),
        ...(isEmpty(name) ? [required(name)] : says(qualifiedName)(name)),
        ...again,
      ];
    }),
  ];
}

/** The words of a complaint are those of the parser here; the real server has another one. */
function checkedExpression(at: Place): Errors {
  const expression = text(at).trim();
  if (expression === '') return [required(at)];
  const program = programOf(expression);
  if (typeof program === 'string') return [invalid(at, `compilation failed: ${program}`)];
  const { valid, type, error } = program.check();
  const stranger = /^Unknown variable: (\w+)/.exec(error?.message ?? '')?.[1];
  if (stranger !== undefined) {
    const why = `undeclared reference to '${stranger}' (in container '')`;
    return [invalid(at, `compilation failed: ERROR: ${why}`)];
  }
  // What is asked of the authorizer is not known here, and is taken for what it is.
  return !valid || type === 'bool' ? none : [invalid(at, `must evaluate to bool but got ${type}`)];
}

const variables = ['object', 'oldObject', 'request', 'authorizer'];

let environment: Environment | undefined;

/** Or why there is none. */
function programOf(expression: string): ReturnType<typeof parsed> | string {
  environment ??= variables.reduce(
    (soFar, name) => soFar.registerVariable(name, 'dyn'),
    newEnvironment(),
  );
  try {
    return parsed(environment, expression);
  } catch (cause: unknown) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
