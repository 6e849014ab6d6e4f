import type { JsonObject } from '#shared/domain/json.ts';
import { itemsOf, put, specOf, textOf } from '../words/edit.ts';

const trouble = ['not-ready', 'unreachable'] as const;

/** A pod stays for five minutes on a node that is lost, unless it says otherwise. */
export function withDefaultTolerations(pod: JsonObject): JsonObject {
  const stated = itemsOf(specOf(pod), 'tolerations');
  const missing = trouble
    .map((name) => `node.kubernetes.io/${name}`)
    .filter((key) => !stated.some((toleration) => covers(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  if (missing.length === 0) return pod;
  return put(pod, 'spec', { ...specOf(pod), tolerations: [...stated, ...missing] });
}

function covers(toleration: JsonObject, key: string): boolean {
  const [itsKey, effect] = [textOf(toleration, 'key'), textOf(toleration, 'effect')];
  return (itsKey === key || itsKey === '') && (effect === 'NoExecute' || effect === '');
}

/** Where no class of priority has said anything: see `withPriority`. */
export function withDefaultPriority(pod: JsonObject): JsonObject {
  const spec = specOf(pod);
  const known = systemClasses[textOf(spec, 'priorityClassName')] ?? 0;
  const priority = spec['priority'] ?? known;
  const preemptionPolicy = spec['preemptionPolicy'] ?? 'PreemptLowerPriority';
  return put(pod, 'spec', { ...spec, priority, preemptionPolicy });
}

/** The real server makes these two itself. */
export const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
