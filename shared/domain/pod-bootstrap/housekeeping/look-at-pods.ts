import { parseDuration } from '../../duration.ts';
import type { KubeObject } from '../../kube-object.ts';
import { marks } from '../provenance.ts';
import type { KeptCampaign } from './campaign.ts';
import { ageMs, excuseOf, type Policy } from './excuse.ts';
import { type HousedPod, housedPod } from './housed-pod.ts';
import { type Judgement, judgePod, type Wanted } from './judge-pod.ts';
import type { Hashes, Seen } from './plan-owner.ts';
import type { RestartSettings } from './restart-settings.ts';

export type Looking = { readonly wanted: Wanted; readonly policy: Policy };

export function policyOf(
  settings: RestartSettings,
  installation: Policy['installation'],
  now: Date,
): Policy {
  return { settings, graceMs: msOf(settings.grace), installation, now };
}

/** Their decoder has seen that they are durations. */
export function msOf(duration: string): number {
  return Math.max(0, parseDuration(duration) ?? 0);
}

export function lookAt(pod: HousedPod, { wanted, policy }: Looking): Looked {
  const judgement = judgePod(pod, wanted);
  const { reasons } = judgement;
  return {
    pod,
    judgement,
    reason: policy.settings.restartFor.find((each) => reasons.includes(each)),
    excuse: excuseOf(pod, policy, wanted.namespace),
    isEvident: judgement.isEvident,
    youngForMs: policy.graceMs - ageMs(pod, policy.now),
    unsureForMs: newsMs(pod, judgement, policy) - ageMs(pod, policy.now),
  };
}

/**
 * How long it may take until whoever judges the pod knows all that its maker knew: our caches, and, where its marks say that
 * the webhook made it, the files of settings too.
 */
function newsMs(
  { annotations }: HousedPod,
  { by }: Judgement,
  { settings: { bundleSettle, configurationSettle } }: Policy,
): number {
  const isMarked = by !== undefined || annotations[marks.bundleHash] !== undefined;
  return Math.max(msOf(bundleSettle), isMarked ? msOf(configurationSettle) : 0);
}

/** A pod with all that is said of it. */
export type Looked = Seen & { readonly judgement: Judgement };

/** Of one owner, from wherever they were listed. */
export async function podsOf(
  owner: string,
  objects: AsyncIterable<KubeObject>,
  looking: Looking,
): Promise<readonly Looked[]> {
  const seen: Looked[] = [];
  for await (const object of objects) {
    const pod = housedPod(object);
    if (pod?.owner?.uid === owner) seen.push(lookAt(pod, looking));
  }
  return seen;
}

export function hashesOf({ configuration, trustBundle }: Wanted): Hashes {
  const bundleHash = trustBundle.kind === 'present' ? trustBundle.hash : '';
  return { configurationHash: configuration.hash, bundleHash };
}

/**
 * Whether this pod's change can have changed what is to be done next. Who lacks nothing, or may not go, may have begun
 * the campaign for another pod, and asks again when that one's turn has come.
 */
export function concerns(
  { pod, reason, excuse }: Seen,
  campaign: KeptCampaign | undefined,
): boolean {
  if (campaign?.state === 'open') {
    const isOld = campaign.known.includes(pod.uid) && campaign.intent.uid !== pod.uid;
    return !isOld || reason === undefined || excuse !== undefined;
  }
  return reason !== undefined && (excuse === undefined || excuse === 'young');
}

/** Of one pod, or of one revision; all of an owner's pods have the others in common. */
const ofOnePod = [
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
];

/** Labels that find an owner's pods, and few others; none where they have none in common. */
export function labelsInCommon(pods: readonly HousedPod[]): Readonly<Record<string, string>> {
  const [first, ...others] = pods.map(({ boot }) => boot.metadata.labels);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        !ofOnePod.includes(entry[0]) &&
        others.every((labels) => labels[entry[0]] === entry[1]),
    ),
  );
}
