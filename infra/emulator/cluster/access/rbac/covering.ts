import { quoted } from '../forbidden.ts';
import { coversUrl, type PolicyRule } from './rule.ts';

/** What of the wanted rules the owner's do not cover, in the words of the real server, sorted. */
export function missingRights(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly string[] {
  const missing = wanted.flatMap(singles).filter((each) => !owned.some((own) => covers(own, each)));
  return [...new Set(compacted(missing).map(described))].toSorted();
}

const none: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** Rules with one verb, one resource and one name each. */
function singles(rule: PolicyRule): readonly PolicyRule[] {
  const named = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        named.map((resourceNames) => ({
          ...none,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
  );
  const paths = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...none, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...resources, ...paths];
}

function covers(own: PolicyRule, single: PolicyRule): boolean {
  return (
    hasAll(own.verbs, single.verbs) &&
    hasAll(own.apiGroups, single.apiGroups) &&
    single.resources.every((resource) => coversResource(own.resources, resource)) &&
    single.nonResourceURLs.every((url) =>
      own.nonResourceURLs.some((each) => coversUrl(each, url)),
    ) &&
    coversNames(own.resourceNames, single.resourceNames)
  );
}

function hasAll(own: readonly string[], wanted: readonly string[]): boolean {
  return own.includes('*') || wanted.every((each) => own.includes(each));
}

function coversResource(own: readonly string[], resource: string): boolean {
  if (own.includes('*') || own.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash > 0 && own.includes(`*${resource.slice(slash)}`);
}

function coversNames(own: readonly string[], wanted: readonly string[]): boolean {
  if (own.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => own.includes(name));
}

/** Verbs of the same resource come together again. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byTarget = Map.groupBy(rules, (rule) =>
    JSON.stringify([
      rule.apiGroups,
      rule.resources,
      rule.resourceNames,
      rule.nonResourceURLs,
      rule.nonResourceURLs.length > 0 ? rule.verbs : [],
    ]),
  );
  return [...byTarget.values()].map((same) => ({
    ...none,
    ...same[0],
    verbs: same.flatMap(({ verbs }) => verbs),
  }));
}

function described(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const stated = parts.filter(([, values]) => values.length > 0);
  return `{${stated.map(([name, values]) => `${name}:${quotedList(values)}`).join(', ')}}`;
}

export function quotedList(values: readonly string[]): string {
  return `[${values.map(quoted).join(' ')}]`;
}
