import { isJsonObject, isList, type Json } from '../../json.ts';
import { podImages } from '../../pod-images.ts';
import type { Configuration } from '../configuration.ts';
import { type BootPod, startedContainers } from '../pod.ts';
import { marks } from '../provenance.ts';
import { isTarget, rulesOf } from '../rewrite.ts';
import { fipsNames, landscapeName } from '../variables.ts';
import { type Annotations, type Provenance, provenanceIn } from './mark-reading.ts';

/** By whom a pod was made, as far as it can be believed. */
export type Made = {
  readonly by: Provenance | undefined;
  /** Upstream's mark, where there is none of ours. */
  readonly isModified: boolean;
};

type Marked = { readonly annotations: Annotations; readonly boot: BootPod };

/**
 * Marks come along when somebody copies a pod into a template, and then stand on pods that nobody has changed. So they
 * are believed where the pod bears them out: of each feature that ours name, of some feature where upstream's stands,
 * something is there, whatever the configuration was.
 */
export function believedMarks({ annotations, boot }: Marked, configuration: Configuration): Made {
  const claimed = provenanceIn(annotations);
  const hasSome = (feature: string) => tracesOf.get(feature)?.(boot) === true;
  if (claimed !== undefined) {
    const isOurs = claimed.configuration === configuration.hash;
    const isBorneOut = claimed.features.every((feature) =>
      feature === registry ? !isOurs || isLed(boot, configuration) : hasSome(feature),
    );
    return { by: isBorneOut ? claimed : undefined, isModified: false };
  }
  if (annotations[marks.modified] !== 'true') return { by: undefined, isModified: false };
  const isModified = [...tracesOf.keys()].some(hasSome) || hasTarget(boot, configuration);
  return { by: undefined, isModified };
}

const registry = 'alter-img-registry';

/** By names that anybody writes: of one that nobody knows nothing is there. */
const tracesOf: ReadonlyMap<string, (pod: BootPod) => boolean> = new Map([
  ['add-img-pull-secret', ({ spec }: BootPod) => spec.imagePullSecrets.length > 0],
  [
    'add-cluster-trust-bundle',
    ({ spec }) => spec.volumes.some(({ projected }) => bundlesIn(projected)),
  ],
  ['set-fips-mode', (pod) => fipsNames.some((name) => isTold(pod, name))],
  ['set-landscape', (pod) => isTold(pod, landscapeName)],
]);

function isTold(pod: BootPod, variable: string): boolean {
  return startedContainers(pod).some(({ env }) => env.some(({ name }) => name === variable));
}

function bundlesIn(projected: Json | undefined): boolean {
  const sources = isJsonObject(projected) ? projected['sources'] : undefined;
  return isList(sources) && sources.some((each) => isJsonObject(each) && isOfBundle(each));
}

function isOfBundle(source: Readonly<Record<string, unknown>>): boolean {
  return source['clusterTrustBundle'] !== undefined;
}

/** Nothing is left to lead elsewhere, or something has been. */
function isLed(pod: BootPod, configuration: Configuration): boolean {
  const isDone = podImages(pod).every(({ image }) => configuration.rewritten(image) === undefined);
  return isDone || hasTarget(pod, configuration);
}

function hasTarget(pod: BootPod, { document }: Configuration): boolean {
  const rules = rulesOf(document);
  return podImages(pod).some(({ image }) => isTarget(image, rules));
}
