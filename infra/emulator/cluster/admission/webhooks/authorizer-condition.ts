import type { Environment } from '@marcbachmann/cel-js';
import { isJsonObject } from '#shared/domain/json.ts';
import type { ConditionVariables } from '#shared/runtime/admission/match-condition.ts';
import { newEnvironment } from '../../custom/cel/environment.ts';
import {
  Authorizer,
  type Decide,
  registerAuthorizer,
} from '../../custom/cel/libraries/authorizer.ts';
import { parsed } from '../../custom/cel/parsing.ts';
import type { Asked } from './asked.ts';

export type AuthorizerCondition = (
  variables: ConditionVariables,
  authorizer: Authorizer,
) => unknown;

/** What Gatehouse's own loop leaves to the API server, and the API server therefore has: `authorizer`, and the libraries of Kubernetes. */
export function compileWholeCondition(expression: string): AuthorizerCondition {
  environment ??= registerAuthorizer(newEnvironment())
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn');
  const evaluate = parsed(environment, expression);
  return (variables, authorizer) => {
    const plain = Object.entries(variables).map(([name, value]) => [name, celValue(value)]);
    return evaluate({ ...Object.fromEntries(plain), authorizer });
  };
}

let environment: Environment | undefined;

export function authorizerFor({ what, resource, namespace }: Asked, decide: Decide): Authorizer {
  const { user, subresource, name } = what;
  const question = { ...resource, user, verb: '', subresource, namespace, name };
  return new Authorizer(user, decide, question);
}

/** CEL's whole numbers are BigInt; a Map, since the library asks an object for its `constructor`. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value ?? null;
  const stated = Object.entries(value).filter(([, each]) => each !== null);
  return new Map(stated.map(([key, each]) => [key, celValue(each)]));
}
