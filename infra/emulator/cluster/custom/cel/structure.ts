import type { Environment } from '@marcbachmann/cel-js';

/** A type with fields, which can be compared with itself; nothing is evaluated by it: values come as maps. */
export function registerStructure(
  to: Environment,
  name: string,
  fields: Readonly<Record<string, string>>,
): Environment {
  return to
    .registerType(name, { fields })
    .registerOperator(`${name} == ${name}`, (one: unknown, other: unknown) => one === other);
}
