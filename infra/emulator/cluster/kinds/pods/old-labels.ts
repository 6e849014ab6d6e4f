import { child, items, type Place, text } from '../words/place.ts';

/** Labels of nodes that have a newer name. */
export const oldLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

export function oldKey(at: Place, before = `${at.path}: ${text(at)} is `): readonly string[] {
  const why = oldLabels[text(at)];
  return why === undefined ? [] : [`${before}${why}`];
}

/** Of a term that selects nodes. */
export function oldKeys(term: Place): readonly string[] {
  return items(term, 'matchExpressions').flatMap((each) => oldKey(child(each, 'key')));
}
