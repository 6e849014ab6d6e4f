import type { NodeRequirement, NodeTerm, PodSpec } from '../shapes/pod.ts';
import type { Node } from '../shapes/surroundings.ts';

/** nodeSelector and the required node affinity, as `kubectl describe` calls them together. */
export function isWanted({ nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => meets(node, term));
}

/** The sum of the weights of the preferences that the node meets. */
export function preference({ affinity }: PodSpec, node: Node): number {
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .filter(({ preference }) => meets(node, preference))
    .reduce((sum, { weight }) => sum + weight, 0);
}

/** An empty term selects nothing. */
function meets({ metadata }: Node, { matchExpressions = [], matchFields = [] }: NodeTerm): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => holds(metadata.labels?.[each.key], each)) &&
    matchFields.every((each) => each.key === 'metadata.name' && holds(metadata.name, each))
  );
}

function holds(value: string | undefined, { operator, values = [] }: NodeRequirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isWhole(value) && Number(value) > Number(values[0]);
    case 'Lt':
      return isWhole(value) && Number(value) < Number(values[0]);
  }
}

function isWhole(value: string | undefined): value is string {
  return value !== undefined && /^-?\d+$/.test(value);
}
