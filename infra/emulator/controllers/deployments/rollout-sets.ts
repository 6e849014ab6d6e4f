import { sameJson } from '#shared/domain/json.ts';
import { resolved } from '../bounds.ts';
import type { Labels } from '../shapes/meta.ts';
import type { PodTemplate } from '../shapes/pod.ts';
import type { Deployment, ReplicaSet } from '../shapes/workload.ts';

export const hashLabel = 'pod-template-hash';
export const revisionKey = 'deployment.kubernetes.io/revision';
export const historyKey = 'deployment.kubernetes.io/revision-history';
export const desiredKey = 'deployment.kubernetes.io/desired-replicas';
export const maxKey = 'deployment.kubernetes.io/max-replicas';

/** The set of the deployment's present template, and the others, the oldest first. */
export type Sets = {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
};

export function setsOf({ spec }: Deployment, all: readonly ReplicaSet[]): Sets {
  const byAge = all.toSorted(older);
  const current = byAge.find((set) => sameJson(withoutHash(set.spec.template), spec.template));
  return { current, old: byAge.filter((set) => set !== current) };
}

function older({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const ages = Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp);
  return ages || (a.name < b.name ? -1 : 1);
}

function withoutHash({ metadata = {}, spec }: PodTemplate): PodTemplate {
  const { [hashLabel]: _, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

export function revisionOf({ metadata }: { readonly metadata: { readonly annotations?: Labels } }) {
  return Number(metadata.annotations?.[revisionKey] ?? 0);
}

/** The next after all others; a set that was rolled back to is the newest once more. */
export function nextRevision({ current, old }: Sets): number {
  const last = Math.max(0, ...old.map(revisionOf));
  return Math.max(last + 1, current === undefined ? 0 : revisionOf(current));
}

export function wanted({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

export function replicasOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
}

export function availableOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}

export type Leeway = { readonly surge: number; readonly unavailable: number };

export function isRecreated({ spec }: Deployment): boolean {
  return spec.strategy?.type === 'Recreate';
}

/** With neither, nothing could ever move. */
export function leewayOf(deployment: Deployment): Leeway {
  if (isRecreated(deployment)) return { surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } =
    deployment.spec.strategy?.rollingUpdate ?? {};
  const total = wanted(deployment);
  const surge = resolved(maxSurge, total, Math.ceil);
  const unavailable = Math.min(resolved(maxUnavailable, total, Math.floor), total);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}
