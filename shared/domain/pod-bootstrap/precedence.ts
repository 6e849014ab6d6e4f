import type { JsonObject } from '../json.ts';
import type { Configuration } from './configuration.ts';
import { allFeatures, annotationPrefix, type Feature, featureKey, featureKeys } from './feature.ts';

export type Asking = {
  /** The pod's. */
  readonly annotations: JsonObject;
  readonly namespace: { readonly name: string; readonly annotations: JsonObject };
};

export type Decided = {
  /** What is done to the pod, and who wants it. */
  readonly on: ReadonlyMap<Feature, string>;
  readonly warnings: readonly string[];
};

/** Of each feature that is available: the first explicit word wins. */
export function decideFeatures(configuration: Configuration, asking: Asking): Decided {
  const words = configuration.available.map((feature) => wordOn(feature, configuration, asking));
  return {
    on: new Map(words.flatMap(({ feature, isOn, who }) => (isOn ? [[feature, who]] : []))),
    warnings: [
      ...oddities('the pod', asking.annotations, configuration),
      ...oddities(
        `namespace ${asking.namespace.name}`,
        asking.namespace.annotations,
        configuration,
      ),
      ...words.flatMap(({ overruled }) => (overruled === '' ? [] : [overruled])),
    ],
  };
}

/** Whether the namespace says no to it itself, and nobody above it insists. */
export function isRefused(
  feature: Feature,
  { enforced }: Configuration,
  { name, annotations }: Asking['namespace'],
): boolean {
  const said = explicit(annotations, feature, name);
  return said?.isOn === false && enforced.get(name)?.has(feature) !== true;
}

type Word = {
  readonly feature: Feature;
  readonly isOn: boolean;
  readonly who: string;
  readonly overruled: string;
};

function wordOn(
  feature: Feature,
  { defaults, enforced, document }: Configuration,
  { annotations, namespace }: Asking,
): Word {
  const said =
    explicit(annotations, feature, 'the pod') ??
    explicit(namespace.annotations, feature, `namespace ${namespace.name}`);
  if (enforced.get(namespace.name)?.has(feature)) {
    const who = `the platform, for namespace ${namespace.name}`;
    return { feature, isOn: true, who, overruled: said?.isOn === false ? insists(feature) : '' };
  }
  if (said !== undefined) return { feature, ...said, overruled: '' };
  if (defaults.get(namespace.name)?.has(feature)) {
    return { feature, isOn: true, who: `the default of ${namespace.name}`, overruled: '' };
  }
  const isOn = document.defaultMode === 'optOut';
  return { feature, isOn, who: 'the default of all namespaces', overruled: '' };
}

function insists(feature: Feature): string {
  return `${featureKey(feature)} cannot be switched off in this namespace`;
}

/** The feature's own word before the word on all of them. */
function explicit(annotations: JsonObject, feature: Feature, who: string) {
  const value = wordIn(annotations, featureKey(feature)) ?? wordIn(annotations, allFeatures);
  return value === undefined ? undefined : { isOn: value === 'true', who };
}

/** What is no word at all is ignored, and said to be. */
function wordIn(annotations: JsonObject, key: string): 'true' | 'false' | undefined {
  const value = wordFor(annotations, key);
  return value === 'true' || value === 'false' ? value : undefined;
}

function wordFor(annotations: JsonObject, key: string): unknown {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

function oddities(
  who: string,
  annotations: JsonObject,
  { available }: Configuration,
): readonly string[] {
  const ours = Object.keys(annotations).filter((key) => key.startsWith(annotationPrefix));
  if (ours.length === 0) return [];

  const known = new Set([allFeatures, ...available.map(featureKey)]);
  return ours.flatMap((key) => {
    const ignored = `annotation ${short(key)} of ${who} is ignored:`;
    if (!known.has(key)) return isAsked(annotations, key) ? [`${ignored} ${whyNot(key)}`] : [];
    if (wordIn(annotations, key) !== undefined) return [];
    return [`${ignored} expected "true" or "false", found ${short(text(annotations[key]))}`];
  });
}

/** Who switches off what does not run has what is wanted. */
function isAsked(annotations: JsonObject, key: string): boolean {
  return wordFor(annotations, key) !== 'false';
}

function whyNot(key: string): string {
  return featureKeys.includes(key) ? 'this feature is not available' : 'there is no such feature';
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function short(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
