import { type Environment, Optional } from '@marcbachmann/cel-js';
import type { Json } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { declare } from './declared.ts';
import { newEnvironment } from './environment.ts';
import { mostNested, namesVariable, nestedLoops } from './expression.ts';
import { parsed } from './parsing.ts';
import { problemOf } from './problem.ts';
import { toCel } from './values.ts';

export type Rule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

export type Selves = { readonly self: Json; readonly old: Json | undefined };

export type CompiledRule = {
  readonly stated: Rule;
  readonly usesOld: boolean;
  /** Throws as an evaluation does. */
  readonly holds: (selves: Selves) => boolean;
  readonly says: ((selves: Selves) => unknown) | undefined;
};

/** Untyped: the types were checked when the definition was written. */
export function compileRule(stated: Rule, schema: Schema): CompiledRule {
  // As plain `dyn`, what an optional holds would be of no type that the library can compare.
  const before = stated.optionalOldSelf === true ? 'optional<dyn>' : 'dyn';
  const environment = newEnvironment()
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', before);
  const program = parsed(environment, stated.rule);
  const { messageExpression } = stated;
  const message =
    messageExpression === undefined ? undefined : parsed(environment, messageExpression);
  const variables = variablesOf(stated, schema);
  return {
    stated,
    usesOld: namesVariable(program.ast, 'oldSelf'),
    holds: (selves) => program(variables(selves)) === true,
    says: message === undefined ? undefined : (selves) => message(variables(selves)),
  };
}

function variablesOf(stated: Rule, schema: Schema) {
  return ({ self, old }: Selves) => {
    const before = old === undefined ? undefined : toCel(old, schema);
    const oldSelf = stated.optionalOldSelf === true ? Optional.of(before) : before;
    return { self: toCel(self, schema), ...(oldSelf === undefined ? {} : { oldSelf }) };
  };
}

/** Why a rule cannot be: in CEL's own form, with the place. */
export function ruleProblem(stated: Rule, schema: Schema): string | undefined {
  const environment = typedEnvironment(stated, schema);
  return problemOf(environment, stated.rule, {
    wanted: 'bool',
    intro: 'compilation failed: ',
    otherwise: () => 'cel expression must evaluate to a bool',
    takesAny: true,
  });
}

export function messageProblem(stated: Rule, schema: Schema): string | undefined {
  if (stated.messageExpression === undefined) return undefined;
  return problemOf(typedEnvironment(stated, schema), stated.messageExpression, {
    wanted: 'string',
    intro: 'messageExpression compilation failed: ',
    otherwise: () => 'messageExpression must evaluate to a string',
    takesAny: true,
  });
}

function typedEnvironment(stated: Rule, schema: Schema): Environment {
  const environment = newEnvironment();
  const type = declare(environment, 'selfType', schema);
  return environment
    .registerVariable('self', type)
    .registerVariable('oldSelf', stated.optionalOldSelf === true ? `optional<${type}>` : type);
}

/** What can be told of a rule that compiles. */
export function traitsOf(rule: string): { readonly usesOld: boolean; readonly isCostly: boolean } {
  const { ast } = parsed(newEnvironment().registerVariable('self', 'dyn'), rule);
  return { usesOld: namesVariable(ast, 'oldSelf'), isCostly: nestedLoops(ast) > mostNested };
}
