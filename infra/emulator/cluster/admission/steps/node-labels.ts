import type { JsonObject } from '#shared/domain/json.ts';

const own: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

/** By a label of Kubernetes' own a node could draw to it what others are trusted with. */
export function isForbiddenLabel(key: string): boolean {
  const [domain = ''] = key.includes('/') ? key.split('/') : [];
  const isIn = (...domains: readonly string[]) =>
    domains.some((each) => domain === each || domain.endsWith(`.${each}`));
  if (isIn('node-restriction.kubernetes.io')) return true;
  const isKubelets = own.has(key) || isIn('kubelet.kubernetes.io', 'node.kubernetes.io');
  return isIn('kubernetes.io', 'k8s.io') && !isKubelets;
}

/** Of those that are set, changed or taken away. */
export function forbiddenLabels(next: JsonObject, before: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(before)]);
  return [...keys].filter((key) => next[key] !== before[key] && isForbiddenLabel(key)).toSorted();
}
