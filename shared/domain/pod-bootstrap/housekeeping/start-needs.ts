import type { Feature } from '../feature.ts';
import { decideFeatures } from '../precedence.ts';
import type { HousedPod } from './housed-pod.ts';
import type { Wanted } from './judge-pod.ts';

/** What the pod's replacement cannot start without. */
export type StartNeeds = {
  /** The Secret of this name in the pod's namespace. */
  readonly pullSecret: string | undefined;
  readonly bundle: string | undefined;
};

export function startNeedsOf(pod: HousedPod, { configuration, namespace }: Wanted): StartNeeds {
  const { annotations } = pod.boot.metadata;
  const { on } = decideFeatures(configuration, { annotations, namespace });
  const has = (feature: Feature) => on.has(feature);
  const { name, optional } = configuration.document.clusterTrustBundle;
  return {
    pullSecret: has('add-img-pull-secret') ? configuration.pullSecret : undefined,
    bundle: has('add-cluster-trust-bundle') && name !== '' && !optional ? name : undefined,
  };
}
