import type { JsonObject } from '#shared/domain/json.ts';
import type { Reading, User } from '../../parts.ts';
import { inside, nameOf, namespaceOf, objects, text } from '../stated.ts';
import { aggregatedRules } from './aggregating.ts';
import { type PolicyRule, rulesIn } from './rule.ts';

/** One binding, as far as it speaks of one user. */
export type Grant = {
  /** `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly because: string;
  readonly rules: readonly PolicyRule[];
  readonly missing: string | undefined;
};

export type RoleReference = { readonly kind: string; readonly name: string };

export type Policy = {
  /** Of the whole cluster first, then of the namespace. */
  grantsFor(user: User, namespace: string): readonly Grant[];
  rulesBehind(reference: RoleReference, namespace: string): readonly PolicyRule[] | undefined;
};

export const policyKinds = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'].map(
  (resource) => `${resource}.rbac.authorization.k8s.io`,
);

/** All roles and bindings as they are now, compiled once: whoever changes one makes another policy. */
export function policyFrom(reading: Reading): Policy {
  const [clusterRoles = [], roles = [], ...bindings] = policyKinds.map((kind) =>
    reading.list(kind),
  );
  const rules = new Map([
    ...clusterRoles.map(
      (role) => [roleKey('ClusterRole', '', nameOf(role)), rulesOf(role, clusterRoles)] as const,
    ),
    ...roles.map(
      (role) => [roleKey('Role', namespaceOf(role), nameOf(role)), rulesIn(role)] as const,
    ),
  ]);
  const rulesBehind: Policy['rulesBehind'] = ({ kind, name }, namespace) =>
    rules.get(roleKey(kind, kind === 'Role' ? namespace : '', name));
  const bySubject = Map.groupBy(bindings.flat().flatMap(boundIn), ({ subject }) => subject);
  return {
    rulesBehind,
    grantsFor: remembered((asked) => grants(bySubject, { ...asked, rulesBehind })),
  };
}

/** Strangers can make up names without end, so that it is forgotten now and then. */
function remembered(
  find: (asked: { readonly user: User; readonly namespace: string }) => readonly Grant[],
): Policy['grantsFor'] {
  const known = new Map<string, readonly Grant[]>();
  return (user, namespace) => {
    const key = JSON.stringify([user.name, user.groups, namespace]);
    const found = known.get(key) ?? find({ user, namespace });
    if (known.size > 5_000) known.clear();
    known.set(key, found);
    return found;
  };
}

function rulesOf(role: JsonObject, all: readonly JsonObject[]): readonly PolicyRule[] {
  const aggregated = aggregatedRules(role, all);
  return rulesIn(aggregated === undefined ? role : { rules: aggregated });
}

function roleKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

type Bound = {
  readonly binding: JsonObject;
  readonly namespace: string;
  readonly subject: string;
  readonly to: string;
};

function boundIn(binding: JsonObject): readonly Bound[] {
  const namespace = namespaceOf(binding);
  return objects(binding['subjects']).map((subject) => ({
    binding,
    namespace,
    ...subjectOf(subject, namespace),
  }));
}

function subjectOf(subject: JsonObject, around: string) {
  const [kind, name] = [text(subject['kind']), text(subject['name'])];
  if (kind !== 'ServiceAccount') return { subject: `${kind} ${name}`, to: `${kind} "${name}"` };
  const namespace = text(subject['namespace']);
  return {
    subject: `User system:serviceaccount:${namespace || around}:${name}`,
    to: `ServiceAccount "${name}${namespace === '' ? '' : `/${namespace}`}"`,
  };
}

type Asked = {
  readonly user: User;
  readonly namespace: string;
  readonly rulesBehind: Policy['rulesBehind'];
};

function grants(
  bySubject: ReadonlyMap<string, readonly Bound[]>,
  { user, namespace, rulesBehind }: Asked,
): readonly Grant[] {
  const keys = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
  const bound = keys
    .flatMap((key) => bySubject.get(key) ?? [])
    .filter((each) => each.namespace === '' || each.namespace === namespace);
  const once = new Map(bound.toReversed().map((each) => [each.binding, each]));
  return [...once.values()].toSorted(byPlace).map((each) => grantOf(each, rulesBehind));
}

function byPlace(one: Bound, other: Bound): number {
  const [a, b] = [
    `${one.namespace}/${nameOf(one.binding)}`,
    `${other.namespace}/${nameOf(other.binding)}`,
  ];
  return a < b ? -1 : 1;
}

function grantOf({ binding, namespace, to }: Bound, rulesBehind: Policy['rulesBehind']): Grant {
  const reference = referenceIn(binding);
  const place = namespace === '' ? nameOf(binding) : `${nameOf(binding)}/${namespace}`;
  const bindingKind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const rules = rulesBehind(reference, namespace);
  return {
    because: `${bindingKind} "${place}" of ${reference.kind} "${reference.name}" to ${to}`,
    rules: rules ?? [],
    missing:
      rules === undefined
        ? `${reference.kind.toLowerCase()}.rbac.authorization.k8s.io "${reference.name}" not found`
        : undefined,
  };
}

export function referenceIn(binding: JsonObject): RoleReference {
  const reference = inside(binding['roleRef']);
  return { kind: text(reference['kind']), name: text(reference['name']) };
}
