import type { KubeObject } from '../kube-object.ts';
import { type Facts, planReplica } from './pull-secret-plan.ts';
import { appliedIn, credentialsIn, isReplica, sourceCredentials } from './pull-secret-replica.ts';

export type FormerStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'remove'; readonly present: KubeObject };

const nothing: FormerStep = { kind: 'nothing' };

/**
 * What is left under the name that replicas had before. Pods that are there refer to it until they are made anew, so
 * that it stays until those that come find theirs under the new name.
 */
export function planFormer(facts: Facts, former: KubeObject | undefined): FormerStep {
  const { namespace, wish, rules } = facts;
  if (former === undefined || !isOwnReplica(former)) return nothing;
  if (namespace === undefined || namespace.metadata.name === rules.namespace) return nothing;
  if (wish === 'unavailable') return nothing;
  return wish === 'opted-out' || isInPlace(facts) ? { kind: 'remove', present: former } : nothing;
}

/** Both at once: a label is copied with its object, and a field manager is only a name. */
export function isOwnReplica(secret: KubeObject): boolean {
  const isEnding = secret.metadata['deletionTimestamp'] !== undefined;
  return !isEnding && isReplica(secret) && appliedIn(secret).length > 0;
}

function isInPlace(facts: Facts): boolean {
  const { source, present } = facts;
  const wanted = source && sourceCredentials(source);
  return (
    planReplica(facts).kind === 'nothing' &&
    wanted !== undefined &&
    present !== undefined &&
    credentialsIn(present) === wanted
  );
}
