import { isMirrorPod } from '../pod.ts';
import { isOwnPod } from '../request.ts';
import { countingKind } from './desired-pods.ts';
import type { HousedPod, Owner } from './housed-pod.ts';
import type { RestartSettings } from './restart-settings.ts';

/** On a pod or its namespace: "false" leaves it as it is, whatever it lacks. */
export const restartKey = 'gatehouse.io/pod-bootstrap-restart';

/** Why a pod is left alone that lacks something. */
export type Excuse =
  | 'own'
  | 'mirror'
  | 'terminating'
  | 'finished'
  /** Nobody would make it anew: it has no controller, or that one is gone or ends. */
  | 'orphan'
  | 'owner-kind'
  | 'opted-out'
  | 'report-only'
  | 'young'
  /** Made anew it would be of a newer template, which waits until somebody deletes pods. */
  | 'on-delete';

export type Policy = {
  readonly settings: RestartSettings;
  readonly graceMs: number;
  readonly installation: { readonly namespace: string };
  readonly now: Date;
};

type Annotations = Readonly<Record<string, unknown>>;

/** What lasts comes before what passes. */
export function excuseOf(
  pod: HousedPod,
  { settings, graceMs, installation, now }: Policy,
  namespace: { readonly annotations: Annotations },
): Excuse | undefined {
  if (isOwnPod(pod.boot, pod.namespace, installation)) return 'own';
  if (isMirrorPod(pod.boot)) return 'mirror';
  if (pod.isTerminating) return 'terminating';
  if (hasFinished(pod)) return 'finished';
  if (pod.owner === undefined) return 'orphan';
  if (!isOf(settings.owners, pod.owner)) return 'owner-kind';
  if (isOptedOut(pod.annotations, namespace.annotations)) return 'opted-out';
  if (settings.reportOnly.includes(pod.namespace)) return 'report-only';
  return ageMs(pod, now) < graceMs ? 'young' : undefined;
}

export function hasFinished({ phase }: HousedPod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Another group may have a kind of the same name, which does who knows what. */
function isOf(kinds: RestartSettings['owners'], owner: Owner): boolean {
  const kind = countingKind(owner)?.kind;
  return kinds.some((each) => each === kind);
}

/** The pod's own word first, as with everything else. */
function isOptedOut(own: Annotations, namespace: Annotations): boolean {
  const said = [own, namespace].map((each) => each[restartKey]);
  return said.find((each) => each === 'true' || each === 'false') === 'false';
}

export function ageMs({ createdAt }: HousedPod, now: Date): number {
  return now.getTime() - createdAt.getTime();
}
