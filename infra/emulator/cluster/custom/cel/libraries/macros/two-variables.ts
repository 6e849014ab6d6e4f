import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import {
  type Checker,
  type InnerScope,
  type Macro,
  nameOf,
  type Scope,
  type Stated,
  type Type,
} from './macro.ts';

/** Index and item of a list, key and value of a map. */
type Part = readonly [unknown, unknown];

type Comprehension = {
  readonly name: string;
  readonly result: 'bool' | 'list' | 'map' | 'entries';
  readonly made: (parts: readonly Part[], step: (part: Part) => unknown) => unknown;
};

const comprehensions: readonly Comprehension[] = [
  {
    name: 'all',
    result: 'bool',
    made: (parts, holds) => !isAny(parts, (part) => !truth(holds(part))),
  },
  {
    name: 'exists',
    result: 'bool',
    made: (parts, holds) => isAny(parts, (part) => truth(holds(part))),
  },
  { name: 'existsOne', result: 'bool', made: isOne },
  { name: 'exists_one', result: 'bool', made: isOne },
  { name: 'transformList', result: 'list', made: (parts, step) => parts.map(step) },
  {
    name: 'transformMap',
    result: 'map',
    made: (parts, step) => new Map(parts.map((part) => [part[0], step(part)])),
  },
  {
    name: 'transformMapEntry',
    result: 'entries',
    made: (parts, step) => new Map(parts.flatMap((part) => partsOf(step(part)))),
  },
];

export function registerTwoVariables(to: Environment): void {
  for (const comprehension of comprehensions) {
    const { name, result } = comprehension;
    const make = (stated: Stated) => overParts(stated, comprehension);
    to.registerFunction(`list.${name}(ast, ast, ast): dyn`, make);
    // The one before the last is a filter.
    if (result !== 'bool') to.registerFunction(`list.${name}(ast, ast, ast, ast): dyn`, make);
  }
}

/** One that there is outweighs those that cannot be told. */
function isAny(parts: readonly Part[], holds: (part: Part) => boolean): boolean {
  const troubles: unknown[] = [];
  for (const part of parts) {
    try {
      if (holds(part)) return true;
    } catch (cause: unknown) {
      troubles.push(cause);
    }
  }
  if (troubles.length > 0) throw troubles[0];
  return false;
}

function isOne(parts: readonly Part[], holds: (part: Part) => unknown): boolean {
  return parts.filter((part) => truth(holds(part))).length === 1;
}

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('no such overload');
  return value;
}

function overParts({ args, receiver }: Stated, { result, made }: Comprehension): Macro {
  const [first, second, ...expressions] = args;
  const [outerName, innerName] = [nameOf(first), nameOf(second)];
  const step = expressions.at(-1);
  if (step === undefined) throw new Error('a macro has an expression');
  const filter = expressions.length > 1 ? expressions[0] : undefined;
  let scopes: readonly [InnerScope, InnerScope] | undefined;
  return {
    async: false,
    typeCheck(checker, _, scope) {
      const [outerType, innerType] = partTypes(checker, receiver, scope);
      const outer = scope.forkWithVariable(outerName, outerType);
      const inner = outer.forkWithVariable(innerName, innerType);
      scopes = [outer, inner];
      if (filter !== undefined) checker.check(filter, inner);
      const type = checker.check(step, inner);
      return resultType(checker, result, { key: outerType, value: type });
    },
    evaluate(evaluator, _, scope) {
      const valueBy = (node: ASTNode) => (part: Part) => {
        if (scopes === undefined) throw new Error('evaluated unchecked');
        const outer = scopes[0].reuse(scope).setIterValue(part[0], evaluator);
        return evaluator.run(node, scopes[1].reuse(outer).setIterValue(part[1], evaluator));
      };
      const all = partsOf(evaluator.run(receiver, scope));
      const holds = filter === undefined ? undefined : valueBy(filter);
      const parts = holds === undefined ? all : all.filter((part) => truth(holds(part)));
      return made(parts, valueBy(step));
    },
  };
}

function resultType(
  checker: Checker,
  result: Comprehension['result'],
  { key, value }: { readonly key: Type; readonly value: Type },
): Type {
  switch (result) {
    case 'bool':
      return checker.getType('bool');
    case 'list':
      return checker.registry.getListType(value);
    case 'map':
      return checker.registry.getMapType(key, value);
    case 'entries':
      return value;
  }
}

function partTypes(checker: Checker, range: ASTNode, scope: Scope): readonly [Type, Type] {
  const type = checker.check(range, scope);
  if (type.kind === 'dyn') return [type, type];
  if (type.kind === 'list') return [checker.getType('int'), type.valueType];
  if (type.kind === 'map') return [type.keyType, type.valueType];
  const why = `expression of type '${String(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  throw checker.createError('invalid_comprehension_range', why, range);
}

function partsOf(value: unknown): readonly Part[] {
  if (Array.isArray(value)) return value.map((item, at): Part => [BigInt(at), item]);
  if (value instanceof Map) return [...value];
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  throw new Error('no such overload');
}
