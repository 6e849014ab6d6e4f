/** What can be done to a pod, each under the name that upstream's annotations have for it, in upstream's order. */
export const features = [
  'alter-img-registry',
  'add-img-pull-secret',
  'add-cluster-trust-bundle',
  'set-fips-mode',
  'set-landscape',
] as const;

export type Feature = (typeof features)[number];

export const annotationPrefix = 'rt-cfg.kyma-project.io/';

/** Stands for every feature that is available. */
export const allFeatures = `${annotationPrefix}all`;

/** As it stands in annotations and in the document. */
export function featureKey(feature: Feature): string {
  return keys[feature];
}

/** Made once: each pod is asked for all of them. */
const keys = Object.fromEntries(
  features.map((feature) => [feature, annotationPrefix + feature]),
) as Readonly<Record<Feature, string>>;

export const featureKeys: readonly string[] = features.map(featureKey);

export function featureOf(key: string): Feature | undefined {
  return features.find((feature) => featureKey(feature) === key);
}
