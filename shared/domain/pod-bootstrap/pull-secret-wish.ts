import type { KubeObject } from '../kube-object.ts';
import type { Configuration } from './configuration.ts';
import { isRefused } from './precedence.ts';

export type Wish =
  | 'wanted'
  /** The namespace says no itself, and nobody above it insists. */
  | 'opted-out'
  /** The platform does not offer the feature: what is there stays as it is. */
  | 'unavailable';

const feature = 'add-img-pull-secret';

/**
 * What the namespace wants. Where features have to be asked for (`optIn`) any pod of it may ask, and its secret
 * must be there before: so silence is a wish in both modes.
 */
export function wishOf(
  namespace: KubeObject | undefined,
  configuration: Configuration | undefined,
): Wish {
  if (configuration === undefined || !configuration.available.includes(feature)) {
    return 'unavailable';
  }
  const { name = '', annotations = {} } = namespace?.metadata ?? {};
  return isRefused(feature, configuration, { name, annotations }) ? 'opted-out' : 'wanted';
}
