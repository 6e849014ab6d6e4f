import { done, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { type KindOf, pods, volumeClaims, volumes } from '../shapes/kinds.ts';
import { isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { PersistentVolume } from '../shapes/surroundings.ts';

const claimGuard = 'kubernetes.io/pvc-protection';
const volumeGuard = 'kubernetes.io/pv-protection';

/** Lets claims and volumes go that nobody uses: the API server puts a guard on each that is made. */
export const volumeProtectionController: Controller = {
  name: 'volume-protection',
  wakes: [
    wake(volumeClaims, (claim) => (isHeld(claim, claimGuard) ? [placeOf(claim)] : [])),
    wake(volumes, (volume) => (isHeld(volume, volumeGuard) ? [placeOf(volume)] : [])),
    wake(pods, claimsOf),
  ],
  async reconcile(place, world) {
    const claim = world.shelf(volumeClaims).find(place);
    if (claim !== undefined && isHeld(claim, claimGuard) && !isUsed(claim, world)) {
      return letGo(world, { kind: volumeClaims, object: claim, guard: claimGuard });
    }
    const volume = world.shelf(volumes).find(place);
    if (volume !== undefined && isHeld(volume, volumeGuard) && !isBound(volume)) {
      return letGo(world, { kind: volumes, object: volume, guard: volumeGuard });
    }
    return done;
  },
};

function isHeld(object: Thing, guard: string): boolean {
  return isLeaving(object) && (object.metadata.finalizers?.includes(guard) ?? false);
}

function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`${metadata.namespace ?? ''}/${claim.claimName}`],
  );
}

/** A pod that has no node yet gets none, once its claim is leaving. */
function isUsed(claim: Thing, world: World): boolean {
  const place = placeOf(claim);
  return [...world.shelf(pods).list(claim.metadata.namespace)].some(
    (pod) => pod.spec.nodeName !== undefined && claimsOf(pod).includes(place),
  );
}

function isBound({ status }: PersistentVolume): boolean {
  return status?.phase === 'Bound';
}

type Held<T extends Thing> = {
  readonly kind: KindOf<T>;
  readonly object: T;
  readonly guard: string;
};

async function letGo<T extends Thing>(
  world: World,
  { kind, object, guard }: Held<T>,
): Promise<Outcome> {
  const { finalizers = [], resourceVersion } = object.metadata;
  const body = { metadata: { finalizers: finalizers.filter((each) => each !== guard) } };
  return outcomeOf(await world.api.patch(targetOf(kind, object), body, resourceVersion));
}
