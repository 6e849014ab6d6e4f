import type { Attributes, Reading, User } from '../../parts.ts';
import type { Decision } from '../rbac/authorizing.ts';
import { byRules } from './least.ts';
import { idOf, type Node, ruleFor } from './node-rules.ts';
import { isRelated } from './related.ts';

const prefix = 'system:node:';

/** The node whose kubelet it is; `undefined` of anybody else. */
export function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(prefix) && groups.includes('system:nodes')
    ? name.slice(prefix.length)
    : undefined;
}

/** As the real Node authorizer: a node reads what its own pods need, and writes of itself and of them. */
export function openNodeRights(reading: Reading) {
  return (attributes: Attributes): Decision | undefined => {
    const name = nodeOf(attributes.user);
    if (name === undefined) return undefined;
    const why = refusedTo(attributes, { name, isRelated: relatedTo(name, reading) });
    return { allowed: why === undefined, reason: why ?? '' };
  };
}

function refusedTo(attributes: Attributes, node: Node): string | undefined {
  if (node.name === '') return `unknown node for user ${JSON.stringify(attributes.user.name)}`;
  if ('path' in attributes) return byRules(attributes) ? undefined : '';
  return ruleFor(attributes)(attributes, node);
}

function relatedTo(node: string, reading: Reading): Node['isRelated'] {
  return (asked) => {
    const { namespace = '', name = '' } = asked;
    return isRelated(reading, node, idOf(asked), { namespace, name });
  };
}
