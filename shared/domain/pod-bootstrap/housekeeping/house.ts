import { type Configuration, configurationOf } from '../configuration.ts';
import type { BootstrapDocument } from '../document.ts';
import { featureKey } from '../feature.ts';
import { documentIn, type PodBootstrapSettings } from '../settings.ts';
import type { TrustBundle } from '../trust-bundle.ts';
import type { Policy } from './excuse.ts';
import { policyOf } from './look-at-pods.ts';

/** What one run goes by, in whichever namespace. */
export type House = {
  readonly configuration: Configuration;
  /** The name of the bundle that pods may be given; `undefined` where none is. */
  readonly bundle: string | undefined;
  readonly trustBundle: TrustBundle;
  /** What is wrong with the document that stands in the cluster; this is then the one before it. */
  readonly problem: string | undefined;
  readonly policy: Policy;
};

type Told = {
  readonly podBootstrap: PodBootstrapSettings;
  readonly installation: Policy['installation'];
};

/** Where the document and the bundle are read. */
type Reader = {
  current(): Promise<BootstrapDocument | undefined>;
  problems(): Promise<readonly string[]>;
  trustBundle(name: string): Promise<TrustBundle>;
};

/** As it stands in the cluster, good or bad. */
type LiveReader = {
  readLive(): Promise<{ readonly document: BootstrapDocument | undefined }>;
};

/** By which its age is asked, among those of bundles: none of them has a slash in its name. */
export const configurationName = '/configuration';

/** As the webhook goes by it; `undefined` where nothing is done to pods. */
export async function houseOf(
  { podBootstrap, installation }: Told,
  reader: Reader,
  now: Date,
): Promise<House | undefined> {
  const own = documentIn(podBootstrap);
  const document = own ?? (await reader.current());
  if (document === undefined || document.availableFeatures.length === 0) return undefined;

  const bundle = bundleIn(document);
  return {
    configuration: configurationOf(document, podBootstrap),
    bundle,
    trustBundle: bundle === undefined ? { kind: 'unknown' } : await reader.trustBundle(bundle),
    problem: own === undefined ? (await reader.problems())[0] : undefined,
    policy: policyOf(podBootstrap.restart, installation, now),
  };
}

/**
 * By which one notes what pods are to have: nothing is one answer as well, of a document without features. `undefined` where
 * none stands there, or one that cannot be read, for others may go by the one before it.
 */
export async function configurationHash(
  house: House | undefined,
  reader: LiveReader,
): Promise<string | undefined> {
  if (house !== undefined) return house.configuration.hash;
  const { document } = await reader.readLive();
  return document?.availableFeatures.length === 0 ? '' : undefined;
}

function bundleIn({ clusterTrustBundle, availableFeatures }: BootstrapDocument) {
  const isAsked = availableFeatures.includes(featureKey('add-cluster-trust-bundle'));
  return isAsked && clusterTrustBundle.name !== '' ? clusterTrustBundle.name : undefined;
}

/** What pods are to have cannot be told: neither which of them lack it, nor which campaign would be meant. */
export function isBlind({ bundle, trustBundle }: House): boolean {
  return bundle !== undefined && trustBundle.kind === 'unknown';
}
