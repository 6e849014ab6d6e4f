import { badRequest, type Refusal } from '../refusal.ts';

/** What can be no part of the key that an object is kept by. */
export function unkeyable(name: string): Refusal | undefined {
  const no = (why: string) => badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
  if (name === '') return badRequest('Name parameter required.');
  if (name === '.' || name === '..') return no(`may not be '${name}'`);
  return name.includes('%') ? no("may not contain '%'") : undefined;
}
