import { isMirrorPod } from '../pod.ts';
import { isOwnPod } from '../request.ts';
import type { HousedPod } from './housed-pod.ts';
import type { RestartSettings } from './restart-settings.ts';

/** On a pod or its namespace: "false" leaves it as it is, whatever it lacks. */
export const restartKey = 'gatehouse.io/pod-bootstrap-restart';

/** Why a pod is left alone that lacks something. */
export type Excuse =
  | 'own'
  | 'mirror'
  | 'terminating'
  | 'finished'
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
  if (pod.phase === 'Succeeded' || pod.phase === 'Failed') return 'finished';
  if (pod.owner === undefined) return 'orphan';
  if (!settings.owners.includes(pod.owner.kind)) return 'owner-kind';
  if (isOptedOut(pod.annotations, namespace.annotations)) return 'opted-out';
  if (settings.reportOnly.includes(pod.namespace)) return 'report-only';
  return ageMs(pod, now) < graceMs ? 'young' : undefined;
}

/** The pod's own word first, as with everything else. */
function isOptedOut(own: Annotations, namespace: Annotations): boolean {
  const said = [own, namespace].map((each) => each[restartKey]);
  return said.find((each) => each === 'true' || each === 'false') === 'false';
}

export function ageMs({ createdAt }: HousedPod, now: Date): number {
  return now.getTime() - createdAt.getTime();
}
