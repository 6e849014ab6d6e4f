import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Admitting, User } from '../../parts.ts';
import { notFound, type Refusal } from '../../refusal.ts';
import { forbiddenOf, quoted } from '../forbidden.ts';
import { isLeaving } from '../leaving.ts';
import { nameOf } from '../stated.ts';
import { type Authorizer, isPrivileged } from './authorizing.ts';
import { missingRights, quotedList } from './covering.ts';
import { referenceIn } from './policy.ts';
import { type PolicyRule, rulesIn } from './rule.ts';

const group = 'rbac.authorization.k8s.io';

type Write = Pick<
  Admitting,
  'kind' | 'operation' | 'namespace' | 'object' | 'before' | 'user' | 'name' | 'subresource'
>;

/** Nobody gives what he does not have himself, unless he may `escalate` the role or `bind` it. */
export function refusedGrant(write: Write, authorizer: Authorizer): Refusal | undefined {
  const { kind, operation, object, before, user, subresource } = write;
  if (kind.group !== group || object === undefined || subresource !== undefined) return undefined;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  if (isPrivileged(user) || isLeaving(object, before)) return undefined;
  return kind.resource.endsWith('bindings')
    ? refusedBinding({ ...write, object }, authorizer)
    : refusedRole({ ...write, object }, authorizer);
}

type Stated = Write & { readonly object: JsonObject };

function refusedRole(write: Stated, authorizer: Authorizer): Refusal | undefined {
  const { kind, user, namespace, object, before, name } = write;
  const asked = { user, group, version: '*', namespace };
  const escalate = { ...asked, verb: 'escalate', resource: kind.resource, name };
  if (authorizer.decide(escalate).allowed) return undefined;
  const refused = refusedRules(write, authorizer, rulesIn(object));
  if (refused !== undefined || !(aggregates(object) || aggregates(before))) return refused;
  return refusedRules(write, authorizer, everything) === undefined
    ? undefined
    : forbiddenFor(write, 'must have cluster-admin privileges to use the aggregationRule');
}

function refusedBinding(write: Stated, authorizer: Authorizer): Refusal | undefined {
  const { kind, user, namespace, object } = write;
  const reference = referenceIn(object);
  const resource = reference.kind === 'Role' ? 'roles' : 'clusterroles';
  const bind = {
    user,
    group,
    version: '*',
    namespace,
    verb: 'bind',
    resource,
    name: reference.name,
  };
  if (authorizer.decide(bind).allowed) return undefined;
  const rules = authorizer.policy().rulesBehind(reference, namespace ?? '');
  if (rules !== undefined) return refusedRules(write, authorizer, rules);
  // The real server names the resource of the request here, not that of the role.
  return notFound({ resource: kind.resource, group, name: reference.name });
}

function refusedRules(
  write: Stated,
  authorizer: Authorizer,
  wanted: readonly PolicyRule[],
): Refusal | undefined {
  const { user, namespace = '' } = write;
  const grants = authorizer.policy().grantsFor(user, namespace);
  const missing = missingRights(
    grants.flatMap(({ rules }) => rules),
    wanted,
  );
  return missing.length === 0 ? undefined : forbiddenFor(write, attempt(user, missing));
}

function attempt(user: User, missing: readonly string[]): string {
  const who = `user ${quoted(user.name)} (groups=${quotedList(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`;
}

function forbiddenFor({ kind, object }: Stated, why: string): Refusal {
  return forbiddenOf({ resource: kind.resource, group, name: nameOf(object) }, why);
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

function aggregates(role: JsonObject | undefined): boolean {
  return isJsonObject(role?.['aggregationRule']);
}
