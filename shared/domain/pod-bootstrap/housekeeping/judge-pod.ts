import type { Change } from '../../verdict.ts';
import { bootstrapPod } from '../bootstrap.ts';
import type { Configuration } from '../configuration.ts';
import { featureKey } from '../feature.ts';
import { startedContainers } from '../pod.ts';
import { marks } from '../provenance.ts';
import type { TrustBundle } from '../trust-bundle.ts';
import { believedMarks, type Made } from './believed-marks.ts';
import type { HousedPod } from './housed-pod.ts';
import { isOfSubstance, markAfter, type Provenance, provenanceIn } from './mark-reading.ts';
import type { Reason } from './restart-settings.ts';

/** What pods of a namespace are to be by now. */
export type Wanted = {
  readonly configuration: Configuration;
  readonly namespace: {
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly trustBundle: TrustBundle;
};

export type Judgement = {
  /** Each for itself a reason to make it anew. */
  readonly reasons: readonly Reason[];
  /** What made it, where its marks can be believed. */
  readonly by: Provenance | undefined;
  /** What the mutation would do to it, for people. */
  readonly lacks: readonly string[];
  /** It was made by this very configuration, with all that is on now, and lacks something: made anew, it would be the same. */
  readonly isOdd: boolean;
  /** It lacks something, or states another hash. Who states none was perhaps made while the bundle could not be read. */
  readonly isEvident: boolean;
};

/**
 * The mutation itself is asked, on the pod as it is stored. It compares by meaning: a volume by its name, a mount by
 * its path, a variable by its name, an image by where rules lead; what the API server has filled in does not count.
 */
export function judgePod(
  pod: HousedPod,
  { configuration, namespace, trustBundle }: Wanted,
): Judgement {
  const { boot, annotations } = pod;
  // Ephemeral containers came later, and are not there when the pod is made anew.
  const asMade = { ...boot, spec: { ...boot.spec, ephemeralContainers: [] } };
  const request = { kind: 'create' } as const;
  const verdict = bootstrapPod(asMade, configuration, { request, namespace, trustBundle });
  const changes = verdict.kind === 'patch' ? verdict.changes : [];

  const lacks = changes.filter(isOfSubstance).map(({ path, why }) => `${path}: ${why}`);
  const made = believedMarks({ annotations, boot: asMade }, configuration);
  const features = featuresAfter(markAfter(changes, marks.provenance));
  // A container that is added after us may take a mount where the pod's own take none: its replacement would be the same.
  const isMountable = changes.filter(isMount).length === startedContainers(asMade).length;
  const isBundleAsked = namespace.annotations[bundleKey] === 'true' && isMountable;
  const of = causeOf(configuration.hash, { features, lacks, isBundleAsked }, made);
  const isOutdated = of !== 'missed' && markAfter(changes, marks.bundleHash) !== undefined;
  return {
    reasons: reasonsOf(of, isOutdated && isOfBundle(annotations, made.by)),
    by: made.by,
    lacks,
    isOdd: of === 'odd',
    isEvident: lacks.length > 0 || (annotations[marks.bundleHash] ?? '') !== '',
  };
}

const bundle = 'add-cluster-trust-bundle';
const bundleKey = featureKey(bundle);

/** Only who has a bundle, or asks for one, can have an old one. */
function isOfBundle(annotations: HousedPod['annotations'], by: Provenance | undefined): boolean {
  const isAsked = annotations[bundleKey] === 'true';
  const isStated = annotations[marks.bundleHash] !== undefined;
  return isStated || isAsked || by?.features.includes(bundle) === true;
}

function reasonsOf(of: Cause, isOutdated: boolean): readonly Reason[] {
  const bundle: readonly Reason[] = isOutdated ? ['staleBundle'] : [];
  return of === 'fine' || of === 'odd' ? bundle : [of, ...bundle];
}

type Cause = 'fine' | 'odd' | 'missed' | 'staleConfiguration';
type Asked = {
  readonly features: readonly string[];
  readonly lacks: readonly string[];
  /** Whether the namespace asks for a bundle in so many words, and every container can have it. */
  readonly isBundleAsked: boolean;
};

/** Another hash alone is no reason: a document may change without this pod being meant. */
function causeOf(hash: string, asked: Asked, { by, isModified }: Made): Cause {
  const { features, lacks } = asked;
  if (by?.configuration === hash) return causeOfSame(asked, by);
  if (by === undefined) {
    if (lacks.length === 0) return 'fine';
    // Upstream marks what it has changed; what it does otherwise was not missed.
    return isModified ? 'staleConfiguration' : 'missed';
  }
  const isSame = lacks.length === 0 && sameItems(by.features, features);
  return isSame ? 'fine' : 'staleConfiguration';
}

/** By the same configuration: whoever lacks what was not on has been opted in since, and its replacement states that it is. */
function causeOfSame(asked: Asked, by: Provenance): Cause {
  if (asked.lacks.length === 0) return 'fine';
  return isMoreOn(asked, by) ? 'missed' : 'odd';
}

/** Of a bundle nobody has noted whether it was refused, or could not be had: one that becomes available restarts nobody. */
function isMoreOn({ features, isBundleAsked }: Asked, by: Provenance): boolean {
  const more = features.filter((feature) => !by.features.includes(feature));
  return more.some((feature) => feature !== bundle || isBundleAsked);
}

function isMount({ path }: Change): boolean {
  return path.includes('/volumeMounts');
}

/** Of a pod that nothing is done to, none. */
function featuresAfter(mark: string | undefined): readonly string[] {
  return provenanceIn({ [marks.provenance]: mark })?.features ?? [];
}

function sameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
