import { admissionEnvironment } from '../../custom/cel/admission-request.ts';
import { problemOf } from '../../custom/cel/problem.ts';
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

function checkedExpression(at: Place): Errors {
  const expression = text(at).trim();
  if (expression === '') return [required(at)];
  const problem = problemOf(admissionEnvironment(), expression, {
    wanted: 'bool',
    intro: 'compilation failed: ',
    otherwise: (type) => `must evaluate to bool but got ${type}`,
  });
  return problem === undefined ? none : [invalid({ ...at, value: expression }, problem)];
}
