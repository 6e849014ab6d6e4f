import type { JsonObject } from '#shared/domain/json.ts';
import type { Attributes } from '../../parts.ts';
import { objects, texts } from '../stated.ts';

export type PolicyRule = {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
};

export function rulesIn(role: JsonObject): readonly PolicyRule[] {
  return objects(role['rules']).map((rule) => ({
    verbs: texts(rule['verbs']),
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
  }));
}

export function allows(rule: PolicyRule, asked: Attributes): boolean {
  if (!names(rule.verbs, asked.verb)) return false;
  if ('path' in asked) return rule.nonResourceURLs.some((url) => coversUrl(url, asked.path));
  const { group, resource, subresource = '', name = '' } = asked;
  return (
    names(rule.apiGroups, group) &&
    namesResource(rule.resources, resource, subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

function names(stated: readonly string[], asked: string): boolean {
  return stated.includes('*') || stated.includes(asked);
}

// `*` covers subresources too, `*/scale` that one of every resource; `pods/*` means nothing here, unlike in a webhook's rule.
function namesResource(stated: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return names(stated, resource);
  return names(stated, `${resource}/${subresource}`) || stated.includes(`*/${subresource}`);
}

/** A star counts at the end only. */
export function coversUrl(stated: string, asked: string): boolean {
  if (stated === asked || stated === '*') return true;
  return stated.endsWith('*') && asked.startsWith(stated.replace(/\*+$/, ''));
}
