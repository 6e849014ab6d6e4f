import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type LabelSelector, matchesLabels } from '#shared/domain/selector.ts';
import type { Write } from '#shared/ports.ts';
import type { Store } from './store.ts';

const budgets = { group: 'policy', kind: 'PodDisruptionBudget' } as const;

/** Asks the budgets in the store; one that nobody has counted yet (no status) allows nothing. */
export function disruption(store: Store, pod: KubeObject): Write | undefined {
  if (isOutsideBudgets(pod)) return undefined;
  const held = store
    .list(budgets)
    .filter(({ metadata }) => metadata.namespace === pod.metadata.namespace)
    .filter((budget) => matchesLabels(selectorOf(budget), pod.metadata.labels ?? {}))
    .find((budget) => allowedBy(budget) <= 0);
  if (held === undefined) return undefined;
  const why = `Cannot evict pod as it would violate the pod's disruption budget ${held.metadata.name}`;
  return { kind: 'busy', why, afterSeconds: 10 };
}

/** A pod that does not run yet, or no longer, counts for no budget. */
function isOutsideBudgets(pod: KubeObject): boolean {
  const phase = part(pod, 'status')['phase'] ?? 'Pending';
  return phase !== 'Running' || pod.metadata['deletionTimestamp'] !== undefined;
}

function selectorOf(budget: KubeObject): LabelSelector {
  return part(budget, 'spec')['selector'] as LabelSelector;
}

function allowedBy(budget: KubeObject): number {
  return Number(part(budget, 'status')['disruptionsAllowed'] ?? 0);
}

function part(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}
