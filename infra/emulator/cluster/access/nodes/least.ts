import type { Attributes } from '../../parts.ts';
import { bootstrapPolicy } from '../bootstrap/policy.ts';
import { allows, type PolicyRule, rulesIn } from '../rbac/rule.ts';
import { nameOf } from '../stated.ts';

let known: readonly PolicyRule[] | undefined;

/** What a node may do whichever it is; in a role that nobody has, since most of it is narrowed. */
export function byRules(attributes: Attributes): boolean {
  known ??= bootstrapPolicy()
    .filter((each) => each['kind'] === 'ClusterRole' && nameOf(each) === 'system:node')
    .flatMap(rulesIn);
  return known.some((rule) => allows(rule, attributes));
}
