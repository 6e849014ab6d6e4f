import type { Condition } from '../../condition.ts';
import { type Kind, namespaces } from '../../kind.ts';
import type { Campaign } from './campaign.ts';
import type { HousedPod, Owner } from './housed-pod.ts';
import { type Stuck, stuckNote } from './survey.ts';

/** Of the one who made the pod: there people look. */
export function tripReport({ name, namespace }: HousedPod, owner: Owner) {
  const note = `Pod ${name} was made anew and lacks what pods are given when they are made: for this cause nothing is restarted but once more, after a pause. See that the webhook is called; a rollout restart begins anew.`;
  const regarding = { kind: kindOf(owner), namespace, name: owner.name, uid: owner.uid };
  return { regarding, type: 'Warning' as const, reason: 'PodRestartsStopped', note };
}

/** Of the same one: its other pods wait for that. */
export function lateReport({ owner: uid, by, namespace, intent }: Campaign) {
  const note = `Pod ${intent.name} lacks what pods are given when they are made, and was to be made anew: either it does not go, as where a budget holds it, or what came for it does not get ready. Other pods wait for that.`;
  const regarding = { kind: kindOf({ ...by, uid }), namespace, name: by.name, uid };
  return { regarding, type: 'Warning' as const, reason: 'PodRestartWaits', note };
}

/** As an Event regards it; nobody asks for it by this. */
function kindOf({ apiVersion, kind }: Owner): Kind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
}

export function stuckReport(stuck: Stuck) {
  const { name, uid } = stuck.namespace;
  const regarding = { kind: namespaces, name, uid };
  const note = stuckNote(stuck);
  return { regarding, type: 'Warning' as const, reason: 'PodsNotRestartable', note };
}

/** While one campaign is tripped, somebody has to look. */
export function breakerCondition(
  campaigns: readonly Pick<Campaign, 'namespace' | 'state'>[],
): Condition {
  const name = 'pod-restarts';
  const tripped = campaigns.filter(({ state }) => state === 'tripped');
  const places = [...new Set(tripped.map(({ namespace }) => namespace))].toSorted();
  if (places.length === 0) return { name, holds: true, why: 'no pod came back as it was' };
  const first = places.slice(0, 5).join(', ');
  const why = `pods came back as they were in ${first}: see that the webhook is called`;
  return { name, holds: false, why };
}

export function restartedMeasure({
  reason,
  count,
}: {
  readonly reason: string;
  readonly count: number;
}) {
  return { labels: { reason }, value: count };
}
