import { Environment } from '@marcbachmann/cel-js';
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
  const broken = syntaxComplaint(expression);
  if (broken !== undefined) return [invalid(at, `compilation failed: ${broken}`)];
  const { valid, type, error } = environment.check(expression);
  const stranger = /^Unknown variable: (\w+)/.exec(error?.message ?? '')?.[1];
  if (stranger !== undefined) {
    const why = `undeclared reference to '${stranger}' (in container '')`;
    return [invalid(at, `compilation failed: ERROR: ${why}`)];
  }
  // Functions of Kubernetes' own are not known here, and are taken for what they are.
  return !valid || type === 'bool' ? none : [invalid(at, `must evaluate to bool but got ${type}`)];
}

const variables = ['object', 'oldObject', 'request', 'authorizer'];

const environment = variables.reduce(
  (soFar, name) => soFar.registerVariable(name, 'dyn'),
  new Environment({ unlistedVariablesAreDyn: false, enableOptionalTypes: true }),
);

function syntaxComplaint(expression: string): string | undefined {
  try {
    environment.parse(expression);
    return undefined;
  } catch (cause: unknown) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
