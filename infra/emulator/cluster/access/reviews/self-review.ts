import type { JsonObject } from '#shared/domain/json.ts';
import type { User } from '../../parts.ts';
import { badRequest, type Refusal } from '../../refusal.ts';
import { nodeOf } from '../nodes/node-rights.ts';
import type { Authorizer } from '../rbac/authorizing.ts';
import type { PolicyRule } from '../rbac/rule.ts';
import { inside, text } from '../stated.ts';
import { secondsOf } from '../tokens/requesting.ts';
import { answered } from './answered.ts';

/** What `kubectl auth whoami` asks. */
export function selfReviewed(sent: JsonObject, asker: User, now: Date): JsonObject {
  const metadata = { creationTimestamp: secondsOf(now) };
  return { ...sent, metadata, status: { userInfo: userInfo(asker) } };
}

export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid !== undefined && uid !== '' && { uid }),
    groups,
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
  };
}

/** What `kubectl auth can-i --list` asks. */
export function rulesReviewed(
  sent: JsonObject,
  asker: User,
  authorizer: Authorizer,
): JsonObject | Refusal {
  const namespace = text(inside(sent['spec'])['namespace']);
  if (namespace === '') return badRequest('no namespace on request');
  const granted = authorizer.policy().grantsFor(asker, namespace);
  const isNode = nodeOf(asker) !== undefined;
  // That masters may everything stands in no role, and is not told.
  const rules = granted.flatMap((grant) => grant.rules);
  return answered(
    { ...sent, metadata: {} },
    {},
    {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: isNode,
      ...evaluationError([
        ...(isNode ? ['node authorizer does not support user rule resolution'] : []),
        ...granted.flatMap(({ missing }) => missing ?? []),
      ]),
    },
  );
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return {
    verbs,
    apiGroups,
    resources,
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}

function evaluationError(missing: readonly string[]): JsonObject {
  if (missing.length === 0) return {};
  return { evaluationError: missing.length === 1 ? missing.join() : `[${missing.join(', ')}]` };
}
