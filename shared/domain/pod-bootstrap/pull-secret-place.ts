import type { ConfiguredName, ConfiguredPlace } from '../place.ts';

const name = { setting: 'podBootstrap.pullSecret.name', fallback: 'registry-credentials' } as const;

/** Where the source is. */
export const pullSecretPlace = {
  namespace: { setting: 'podBootstrap.pullSecret.namespace', fallback: 'kyma-system' },
  name,
} as const satisfies ConfiguredPlace;

/** Under which replicas were before. */
export const formerName = {
  setting: 'podBootstrap.pullSecret.formerName',
  fallback: 'registry-credentials',
} as const;

/** The source and its replicas, wherever they are. */
export const pullSecretName = { name } as const satisfies ConfiguredName;
