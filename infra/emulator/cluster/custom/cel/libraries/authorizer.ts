import type { Environment } from '@marcbachmann/cel-js';
import type { Attributes, User } from '../../../parts.ts';

export type Decide = (attributes: Attributes) => {
  readonly allowed: boolean;
  readonly reason: string;
};

type Question = Attributes & { readonly resource: string };

/** The library tells types apart by their constructors. */
export class Authorizer {
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

function narrowed({ decide, question }: ResourceCheck, by: Partial<Question>): ResourceCheck {
  return new ResourceCheck(decide, { ...question, ...by } as Question);
}

function accountOf({ decide, requestResource }: Authorizer, namespace: string, name: string) {
  const user = {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  };
  return new Authorizer(user, decide, { ...requestResource.question, user });
}

/** What a condition of admission may ask of whoever decides on rights. */
export function registerAuthorizer(to: Environment): Environment {
  const own = 'kubernetes.authorization';
  const [authorizer, path, group] = [`${own}.Authorizer`, `${own}.PathCheck`, `${own}.GroupCheck`];
  const [resource, decision] = [`${own}.ResourceCheck`, `${own}.Decision`];
  return (
    to
      .registerType(resource, ResourceCheck)
      .registerType(authorizer, { ctor: Authorizer, fields: { requestResource: resource } })
      .registerType(path, PathCheck)
      .registerType(group, GroupCheck)
      .registerType(decision, Decision)
      .registerVariable('authorizer', authorizer)
      .registerFunction(`${authorizer}.path(string): ${path}`, (by, at) => new PathCheck(by, at))
      .registerFunction(`${authorizer}.group(string): ${group}`, (by, at) => new GroupCheck(by, at))
      .registerFunction(`${authorizer}.serviceAccount(string, string): ${authorizer}`, accountOf)
      .registerFunction(`${path}.check(string): ${decision}`, (of: PathCheck, verb) => {
        const { user, decide } = of.authorizer;
        return new Decision(decide({ user, verb: String(verb), path: of.path }));
      })
      .registerFunction(`${group}.resource(string): ${resource}`, (of: GroupCheck, name) => {
        const { user, decide } = of.authorizer;
        const asked = { user, verb: '', group: of.group, version: '*', resource: String(name) };
        return new ResourceCheck(decide, asked);
      })
      .registerFunction(`${resource}.subresource(string): ${resource}`, (of, subresource) =>
        narrowed(of, { subresource }),
      )
      .registerFunction(`${resource}.namespace(string): ${resource}`, (of, namespace) =>
        narrowed(of, { namespace }),
      )
      .registerFunction(`${resource}.name(string): ${resource}`, (of, name) =>
        narrowed(of, { name }),
      )
      // Roles know no selectors: who may ask for all may ask for some.
      .registerFunction(`${resource}.fieldSelector(string): ${resource}`, (of) => of)
      .registerFunction(`${resource}.labelSelector(string): ${resource}`, (of) => of)
      .registerFunction(`${resource}.check(string): ${decision}`, (of: ResourceCheck, verb) => {
        return new Decision(of.decide({ ...of.question, verb: String(verb) }));
      })
      .registerFunction(`${decision}.allowed(): bool`, ({ allowed }: Decision) => allowed)
      .registerFunction(`${decision}.reason(): string`, ({ reason }: Decision) => reason)
      .registerFunction(`${decision}.errored(): bool`, () => false)
      .registerFunction(`${decision}.error(): string`, () => '')
  );
}
