import type { Environment } from '@marcbachmann/cel-js';
import { isJsonObject } from '#shared/domain/json.ts';
import type { ConditionVariables } from '#shared/runtime/admission/match-condition.ts';
import { newEnvironment } from '../../custom/cel/environment.ts';
import { parsed } from '../../custom/cel/parsing.ts';
import type { Attributes, User } from '../../parts.ts';
import type { Asked } from './asked.ts';

export type Decide = (attributes: Attributes) => {
  readonly allowed: boolean;
  readonly reason: string;
};

export type AuthorizerCondition = (
  variables: ConditionVariables,
  authorizer: Authorizer,
) => unknown;

/** What Gatehouse's own loop leaves to the API server, and the API server therefore has: `authorizer`, and the libraries of Kubernetes. */
export function compileWholeCondition(expression: string): AuthorizerCondition {
  environment ??= withAuthorizer(newEnvironment());
  const evaluate = parsed(environment, expression);
  return (variables, authorizer) => {
    const plain = Object.entries(variables).map(([name, value]) => [name, celValue(value)]);
    return evaluate({ ...Object.fromEntries(plain), authorizer });
  };
}

let environment: Environment | undefined;

type Question = Attributes & { readonly resource: string };

/** The library tells types apart by their constructors. */
class Authorizer {
  readonly user: User;
  readonly decide: Decide;
  readonly requestResource: ResourceCheck;
  constructor(user: User, decide: Decide, question: Question) {
    this.user = user;
    this.decide = decide;
    this.requestResource = new ResourceCheck(decide, question);
  }
}

class PathCheck {
  readonly authorizer: Authorizer;
  readonly path: string;
  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck {
  readonly authorizer: Authorizer;
  readonly group: string;
  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly decide: Decide;
  readonly question: Question;
  constructor(decide: Decide, question: Question) {
    this.decide = decide;
    this.question = question;
  }
}

class Decision {
  readonly allowed: boolean;
  readonly reason: string;
  constructor({ allowed, reason }: ReturnType<Decide>) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

export function authorizerFor({ what, resource, namespace }: Asked, decide: Decide): Authorizer {
  const { user, subresource, name } = what;
  const question = { ...resource, user, verb: '', subresource, namespace, name };
  return new Authorizer(user, decide, question);
}

function narrowed({ decide, question }: ResourceCheck, by: Partial<Question>): ResourceCheck {
  return new ResourceCheck(decide, { ...question, ...by } as Question);
}

function withAuthorizer(to: Environment): Environment {
  return to
    .registerType('ResourceCheck', ResourceCheck)
    .registerType('Authorizer', { ctor: Authorizer, fields: { requestResource: 'ResourceCheck' } })
    .registerType('PathCheck', PathCheck)
    .registerType('GroupCheck', GroupCheck)
    .registerType('Decision', Decision)
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn')
    .registerVariable('authorizer', 'Authorizer')
    .registerFunction('Authorizer.path(string): PathCheck', (by, path) => new PathCheck(by, path))
    .registerFunction(
      'Authorizer.group(string): GroupCheck',
      (by, name) => new GroupCheck(by, name),
    )
    .registerFunction(
      'Authorizer.serviceAccount(string, string): Authorizer',
      ({ decide, requestResource }: Authorizer, namespace: string, name: string) => {
        const user = {
          name: `system:serviceaccount:${namespace}:${name}`,
          groups: [
            'system:serviceaccounts',
            `system:serviceaccounts:${namespace}`,
            'system:authenticated',
          ],
        };
        return new Authorizer(user, decide, { ...requestResource.question, user });
      },
    )
    .registerFunction(
      'PathCheck.check(string): Decision',
      ({ authorizer, path }: PathCheck, verb) => {
        const { user, decide } = authorizer;
        return new Decision(decide({ user, verb: String(verb), path }));
      },
    )
    .registerFunction('GroupCheck.resource(string): ResourceCheck', (of: GroupCheck, resource) => {
      const { user, decide } = of.authorizer;
      const asked = { user, verb: '', group: of.group, version: '*', resource: String(resource) };
      return new ResourceCheck(decide, asked);
    })
    .registerFunction('ResourceCheck.subresource(string): ResourceCheck', (of, subresource) =>
      narrowed(of, { subresource }),
    )
    .registerFunction('ResourceCheck.namespace(string): ResourceCheck', (of, namespace) =>
      narrowed(of, { namespace }),
    )
    .registerFunction('ResourceCheck.name(string): ResourceCheck', (of, name) =>
      narrowed(of, { name }),
    )
    .registerFunction('ResourceCheck.check(string): Decision', (of: ResourceCheck, verb) => {
      return new Decision(of.decide({ ...of.question, verb: String(verb) }));
    })
    .registerFunction('Decision.allowed(): bool', ({ allowed }: Decision) => allowed)
    .registerFunction('Decision.reason(): string', ({ reason }: Decision) => reason)
    .registerFunction('Decision.errored(): bool', () => false)
    .registerFunction('Decision.error(): string', () => '');
}

/** CEL's whole numbers are BigInt; a Map, since the library asks an object for its `constructor`. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value ?? null;
  const stated = Object.entries(value).filter(([, each]) => each !== null);
  return new Map(stated.map(([key, each]) => [key, celValue(each)]));
}
