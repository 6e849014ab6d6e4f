import type { Attributes, Reading, User } from '../../parts.ts';
import { openNodeRights } from '../nodes/node-rights.ts';
import { type Grant, type Policy, policyFrom, policyKinds } from './policy.ts';
import { allows } from './rule.ts';

export type Decision = { readonly allowed: boolean; readonly reason: string };

export type Authorizer = {
  decide(attributes: Attributes): Decision;
  policy(): Policy;
};

/** Roles and bindings are compiled at the first question after a change of any of them. */
export function openAuthorizer(reading: Reading): Authorizer {
  let compiled: Policy | undefined;
  for (const kind of policyKinds) {
    reading.onChange(kind, () => {
      compiled = undefined;
    });
  }
  const nodeRights = openNodeRights(reading);
  const policy = () => {
    compiled ??= policyFrom(reading);
    return compiled;
  };
  return {
    policy,
    decide(attributes) {
      if (isPrivileged(attributes.user)) return { allowed: true, reason: '' };
      const ofNode = nodeRights(attributes);
      if (ofNode?.allowed === true) return ofNode;
      const namespace = 'path' in attributes ? '' : (attributes.namespace ?? '');
      const byRoles = decided(policy().grantsFor(attributes.user, namespace), attributes);
      return ofNode === undefined || byRoles.allowed ? byRoles : bothRefused(ofNode, byRoles);
    },
  };
}

function bothRefused(...refused: readonly Decision[]): Decision {
  const reasons = refused.map(({ reason }) => reason).filter((reason) => reason !== '');
  return { allowed: false, reason: reasons.join('\n') };
}

/** The admin's group is asked before any rule. */
export function isPrivileged({ groups }: User): boolean {
  return groups.includes('system:masters');
}

function decided(grants: readonly Grant[], attributes: Attributes): Decision {
  const grant = grants.find(({ rules }) => rules.some((rule) => allows(rule, attributes)));
  if (grant !== undefined) return { allowed: true, reason: `RBAC: allowed by ${grant.because}` };
  const missing = [...new Set(grants.flatMap((each) => each.missing ?? []))];
  if (missing.length === 0) return { allowed: false, reason: '' };
  return {
    allowed: false,
    reason: `RBAC: ${missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`}`,
  };
}
