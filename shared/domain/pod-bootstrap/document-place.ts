import type { ConfiguredPlace } from '../place.ts';

/** Where the ConfigMap is that holds the document. */
export const documentPlace = {
  namespace: { setting: 'podBootstrap.configMap.namespace', fallback: 'kyma-system' },
  name: { setting: 'podBootstrap.configMap.name', fallback: 'rt-bootstrapper-config' },
} as const satisfies ConfiguredPlace;
