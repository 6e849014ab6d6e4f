import { type Environment, Optional } from '@marcbachmann/cel-js';
import { isSame } from './lists.ts';
import { type Checker, ofOneVariable, type Stated, type Type } from './macros/macro.ts';

/** What the library leaves out of CEL's optional values. */
export function registerOptionals(to: Environment): void {
  to.registerFunction(
    'OptionalNamespace.ofNonZeroValue(A): optional<A>',
    (_: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  );
  to.registerOperator('optional<A> == optional<A>', (one: Optional, other: Optional) =>
    one.hasValue() && other.hasValue()
      ? isSame(one.value(), other.value())
      : one.hasValue() === other.hasValue(),
  );
  to.registerFunction('optional.optMap(ast, ast): optional<dyn>', (stated: Stated) =>
    ofOneVariable({
      stated,
      held,
      result: (checker, { step }) => checker.registry.getOptionalType(step),
      evaluated: (value, step) =>
        whole(value).hasValue() ? Optional.of(step(whole(value).value())) : Optional.none(),
    }),
  );
  to.registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', (stated: Stated) =>
    ofOneVariable({
      stated,
      held,
      result: (_, { step }) => step,
      evaluated: (value, step) =>
        whole(value).hasValue() ? step(whole(value).value()) : Optional.none(),
    }),
  );
}

function held(_: Checker, { kind, valueType }: Type): Type {
  if (kind !== 'optional') throw new Error('no such overload');
  return valueType;
}

function whole(value: unknown): Optional {
  if (value instanceof Optional) return value;
  throw new Error('no such overload');
}

function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) === 0;
  return isSame(value, []) || isSame(value, {});
}
