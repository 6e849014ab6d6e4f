import type { ASTNode } from '@marcbachmann/cel-js';

/** The library's own words for what it hands to a macro; it publishes no types of them. */
export type Type = { readonly kind: string; readonly keyType: Type; readonly valueType: Type };

export type Scope = { forkWithVariable(name: string, type: Type): InnerScope };

export type InnerScope = Scope & {
  reuse(outer: Scope): InnerScope;
  setIterValue(value: unknown, evaluator: Evaluator): InnerScope;
};

export type Checker = {
  readonly registry: {
    getListType(item: Type): Type;
    getMapType(key: Type, value: Type): Type;
    getOptionalType(value: Type): Type;
  };
  check(node: ASTNode, scope: Scope): Type;
  getType(name: string): Type;
  createError(code: string, message: string, node: ASTNode): Error;
};

export type Evaluator = { run(node: ASTNode, scope: Scope): unknown };

export type Stated = { readonly args: readonly ASTNode[]; readonly receiver: ASTNode };

/** Checked first; evaluated as often as its rule is, in the scope that was found then. */
export type Macro = {
  readonly async: false;
  typeCheck(checker: Checker, macro: unknown, scope: Scope): Type;
  evaluate(evaluator: Evaluator, macro: unknown, scope: Scope): unknown;
};

export function nameOf(node: ASTNode | undefined): string {
  if (node?.op === 'id') return node.args;
  throw new Error('argument must be a simple name');
}

type OneVariable = {
  readonly stated: Stated;
  /** What the variable holds, of what the receiver is. */
  readonly held: (checker: Checker, receiver: Type) => Type;
  readonly result: (
    checker: Checker,
    types: { readonly receiver: Type; readonly step: Type },
  ) => Type;
  readonly evaluated: (receiver: unknown, step: (value: unknown) => unknown) => unknown;
};

export function ofOneVariable({ stated, held, result, evaluated }: OneVariable): Macro {
  const { receiver, args } = stated;
  const [variable, step] = args;
  const name = nameOf(variable);
  if (step === undefined) throw new Error('a macro has an expression');
  let inner: InnerScope | undefined;
  return {
    async: false,
    typeCheck(checker, _, scope) {
      const type = checker.check(receiver, scope);
      inner = scope.forkWithVariable(name, held(checker, type));
      return result(checker, { receiver: type, step: checker.check(step, inner) });
    },
    evaluate(evaluator, _, scope) {
      return evaluated(evaluator.run(receiver, scope), (value) => {
        if (inner === undefined) throw new Error('evaluated unchecked');
        return evaluator.run(step, inner.reuse(scope).setIterValue(value, evaluator));
      });
    },
  };
}
