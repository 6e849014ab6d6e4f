import type { Condition } from '../../condition.ts';
import type { House } from './house.ts';

type Known = Pick<House, 'bundle' | 'trustBundle'>;

/** Of no house, or of no name in it: no bundle is wanted. */
export function bundleCondition(known: Known | undefined): Condition {
  const [holds, why] = said(known);
  return { name: 'trust-bundle', holds, why };
}

function said({ bundle, trustBundle }: Partial<Known> = {}): readonly [boolean, string] {
  if (bundle === undefined || trustBundle === undefined) return [true, 'none is asked for'];
  switch (trustBundle.kind) {
    case 'present':
      return [true, `pods are given ${bundle}`];
    case 'absent':
      return [false, `there is no ClusterTrustBundle ${bundle}: pods that mount it do not start`];
    case 'not-served':
      return [false, 'the cluster serves no ClusterTrustBundles: none is mounted'];
    case 'not-projected':
      return [
        false,
        'the API server keeps no ClusterTrustBundles in pods: none is mounted; switch its feature gate ClusterTrustBundleProjection on',
      ];
    case 'unknown':
      return [false, `ClusterTrustBundle ${bundle} could not be read`];
  }
}

export function bundleMeasure({ bundle, trustBundle }: Partial<Known> = {}) {
  if (bundle === undefined || trustBundle?.kind !== 'present') return [];
  return [{ labels: { name: bundle, hash: trustBundle.hash }, value: 1 }];
}
