import { configurationHash } from './configuration-hash.ts';
import type { BootstrapDocument } from './document.ts';
import { allFeatures, type Feature, featureKey, featureOf, features } from './feature.ts';
import { rewriterOf, rulesOf } from './rewrite.ts';
import type { PodBootstrapSettings } from './settings.ts';

/** Document and settings, as reviews ask for them. */
export type Configuration = {
  readonly document: BootstrapDocument;
  /** Where an image is pulled from instead, by the document's rules. */
  readonly rewritten: (image: string) => string | undefined;
  readonly available: readonly Feature[];
  /** What the platform switches on in a namespace; a pod or the namespace may say otherwise. */
  readonly defaults: ByNamespace;
  /** What nobody in that namespace may switch off. */
  readonly enforced: ByNamespace;
  readonly landscape: string;
  readonly pullSecret: string;
  /** The namespace that it is copied from. */
  readonly pullSecretHome: string;
  readonly hash: string;
};

export type ByNamespace = ReadonlyMap<string, ReadonlySet<Feature>>;

type Told = Pick<PodBootstrapSettings, 'landscape' | 'pullSecret'>;
type Made = { readonly told: Told; readonly configuration: Configuration };

const made = new WeakMap<BootstrapDocument, Made>();

/** Made once for each document that is read: all pods until the next one share it. */
export function configurationOf(document: BootstrapDocument, told: Told): Configuration {
  const known = made.get(document);
  if (known?.told === told) return known.configuration;

  const configuration = configured(document, told);
  made.set(document, { told, configuration });
  return configuration;
}

function configured(document: BootstrapDocument, { landscape, pullSecret }: Told): Configuration {
  const listed = document.availableFeatures;
  const available = features.filter((feature) => listed.includes(featureKey(feature)));
  return {
    document,
    rewritten: rewriterOf(rulesOf(document)),
    available,
    defaults: byNamespace(document.namespaceFeatures, available),
    enforced: byNamespace(document.enforced, available),
    landscape,
    pullSecret: pullSecret.name,
    pullSecretHome: pullSecret.namespace,
    hash: configurationHash(document, { landscape, pullSecret: pullSecret.name }),
  };
}

function byNamespace(
  lists: BootstrapDocument['enforced'],
  available: readonly Feature[],
): ByNamespace {
  return new Map(
    Object.entries(lists).map(([namespace, keys]) => [
      namespace,
      new Set(keys.flatMap((key) => (key === allFeatures ? available : (featureOf(key) ?? [])))),
    ]),
  );
}
