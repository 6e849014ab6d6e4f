import { ownerReference } from '../owning/claim.ts';
import type { Labels } from '../shapes/meta.ts';
import type { Deployment } from '../shapes/workload.ts';
import { templateHash } from '../template-hash.ts';
import {
  desiredKey,
  hashLabel,
  historyKey,
  leewayOf,
  maxKey,
  nextRevision,
  revisionKey,
  type Sets,
  wanted,
} from './rollout-sets.ts';

/** The set of the deployment's present template, as it is made. */
export function setObject(deployment: Deployment, sets: Sets, replicas: number) {
  const { spec, metadata } = deployment;
  const hash = templateHash(spec.template, deployment.status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  const { matchLabels, ...selector } = spec.selector;
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: { ...setAnnotations(deployment, sets), ...sizeAnnotations(deployment) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

const notCopied = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionKey,
  historyKey,
  desiredKey,
  maxKey,
];

/** What the deployment says of itself, its set says as well. */
export function setAnnotations(deployment: Deployment, sets: Sets): Labels {
  const own = Object.entries(deployment.metadata.annotations ?? {});
  return {
    ...Object.fromEntries(own.filter(([key]) => !notCopied.includes(key))),
    [revisionKey]: String(nextRevision(sets)),
    ...revisionHistory(sets),
  };
}

/** The numbers that the set had before it was rolled back to. */
function revisionHistory(sets: Sets): Labels {
  const { [historyKey]: history, [revisionKey]: last } = sets.current?.metadata.annotations ?? {};
  if (last === undefined || Number(last) >= nextRevision(sets)) return {};
  return { [historyKey]: shortened(history === undefined ? last : `${history},${last}`) };
}

const mostLetters = 2_000;

/** The oldest are forgotten. */
function shortened(history: string): string {
  if (history.length <= mostLetters) return history;
  const cut = history.indexOf(',', history.length - mostLetters - 1);
  return history.slice(cut + 1);
}

/** How far a set is allowed to go, as of when its size was last stated. */
export function sizeAnnotations(deployment: Deployment): Labels {
  const want = wanted(deployment);
  return {
    [desiredKey]: String(want),
    [maxKey]: String(want + leewayOf(deployment).surge),
  };
}
