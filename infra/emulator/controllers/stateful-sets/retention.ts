import { sameJson } from '#shared/domain/json.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import { outcomeOfAll } from '../frame/api.ts';
import { targetOf, type World } from '../frame/controller.ts';
import { ownerReference } from '../owning/claim.ts';
import { told } from '../owning/told.ts';
import { statefulSets, volumeClaims } from '../shapes/kinds.ts';
import type { OwnerReference, Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { StatefulSet } from '../shapes/workload.ts';
import { claimNames } from './claims.ts';
import { isCondemned, ordinalOf } from './plan-stateful.ts';

/** Gives each claim to whoever it is to go with: to the set, to a pod that is one too many, or to nobody. */
export async function ownClaims(
  set: StatefulSet,
  pods: readonly Pod[],
  world: World,
): Promise<Outcome> {
  const changed = pods.flatMap((pod) =>
    claimNames(set, ordinalOf(pod)).flatMap((name) => {
      const claim = world.shelf(volumeClaims).find(`${set.metadata.namespace ?? ''}/${name}`);
      if (claim === undefined) return [];
      const references = ownersAfter(set, pod, claim);
      return references === undefined ? [] : [{ pod, claim, references }];
    }),
  );
  const written = changed.map(async ({ pod, claim, references }) => {
    const body = { metadata: { ownerReferences: references } };
    const answer = await world.api.update(targetOf(volumeClaims, claim), claim, body);
    const isTold = !isCondemned(set, pod) && pod.status?.phase !== 'Pending';
    if (answer.kind === 'written' && isTold) {
      told(world, { owner: set, kind: statefulSets }, { what: 'Update', pod: pod.metadata.name });
    }
    return answer;
  });
  return outcomeOfAll(await Promise.all(written));
}

/** `undefined` where they are that already, or the claim is another's. */
function ownersAfter(
  set: StatefulSet,
  pod: Pod,
  { metadata }: Thing,
): readonly OwnerReference[] | undefined {
  const { ownerReferences: before = [] } = metadata;
  const owner = ownerOf(set, pod);
  const others = before.filter(({ uid }) => ![set, pod].some((each) => each.metadata.uid === uid));
  if (removes(set) && others.some(({ controller }) => controller)) return undefined;
  const after = owner === undefined ? others : [...others, ownerReference(owner)];
  return sameJson(before, after) ? undefined : after;
}

function removes({ spec }: StatefulSet): boolean {
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return whenDeleted === 'Delete' || whenScaled === 'Delete';
}

function ownerOf(set: StatefulSet, pod: Pod): Thing | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === 'Delete' && isCondemned(set, pod)) return pod;
  return whenDeleted === 'Delete' ? set : undefined;
}
