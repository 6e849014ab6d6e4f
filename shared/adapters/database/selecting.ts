import type { PendingQuery, Row as Record, Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { LabelRequirement, LabelSelector } from '#shared/domain/selector.ts';
import type { MirrorOptions } from '#shared/ports.ts';
import { type Realm, type Sought, storable, termOf } from './terms.ts';

export type Condition = PendingQuery<Record[]>;

export function isOf(sql: Sql, { cluster, group, resource }: Realm): Condition {
  return sql`o.cluster = ${cluster} and o.api_group = ${group} and o.resource = ${resource}`;
}

/** All that is wanted, each part after an `and`: equality by the one index, of the rest only what that leaves. */
export function conditionOf(
  sql: Sql,
  realm: Realm,
  { namespace, labels = {}, owner, index }: MirrorOptions,
): Condition {
  const all: Sought[] = Object.entries(labels.matchLabels ?? {}).map(([key, value]) => ({
    kind: 'label',
    key,
    value,
  }));
  if (owner !== undefined) all.push({ kind: 'owner', uid: owner });
  if (index !== undefined) all.push({ kind: 'key', key: `${index.name}=${index.key}` });

  const terms = arrayText(all.map((each) => termOf(realm, each)));
  return joined(sql, [
    ...(namespace === undefined ? [] : [sql`o.namespace = ${storable(namespace)}`]),
    ...(all.length === 0 ? [] : [sql`o.terms @> ${terms}::text[]`]),
    ...requirementsOf(sql, realm, labels),
  ]);
}

function requirementsOf(sql: Sql, realm: Realm, { matchExpressions = [] }: LabelSelector) {
  return matchExpressions.map((requirement) => requirementOf(sql, realm, requirement));
}

function requirementOf(
  sql: Sql,
  realm: Realm,
  { key, operator, values = [] }: LabelRequirement,
): Condition {
  const terms = arrayText(values.map((value) => termOf(realm, { kind: 'label', key, value })));
  switch (operator) {
    case 'In':
      return sql`o.terms && ${terms}::text[]`;
    case 'NotIn':
      return sql`not o.terms && ${terms}::text[]`;
    case 'Exists':
      return sql`o.labels ? ${storable(key)}`;
    case 'DoesNotExist':
      return sql`not o.labels ? ${storable(key)}`;
  }
}

function joined(sql: Sql, conditions: readonly Condition[]): Condition {
  return conditions.reduce((all, each) => sql`${all} and ${each}`, sql``);
}
