import type { JsonObject } from '#shared/domain/json.ts';

export const poolLabel = 'worker.gardener.cloud/pool';

export function expression(key: string, operator: string, ...values: string[]): JsonObject {
  return values.length === 0 ? { key, operator } : { key, operator, values };
}

export function preference(weight: number, ...matchExpressions: JsonObject[]): JsonObject {
  return { weight, preference: { matchExpressions } };
}

/** What upstream adds: the pool `cpu-worker-0`, by weight 10. */
export const ours = preference(10, expression(poolLabel, 'In', 'cpu-worker-0'));

/** A pod as a controller makes it: without a namespace of its own. */
export function podOf(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'web-', ...metadata },
    spec: { containers: [{ name: 'web', image: 'nginx' }], ...spec },
  };
}

export function required(...nodeSelectorTerms: JsonObject[]): JsonObject {
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } };
}

export function preferring(...preferredDuringSchedulingIgnoredDuringExecution: JsonObject[]) {
  return { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } };
}
