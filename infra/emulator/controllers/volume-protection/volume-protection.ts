import { done, type Outcome } from '#shared/domain/outcome.ts';
import { accountOf } from '../frame/acting-as.ts';
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
    if (claim !== undefined && isHeld(claim, claimGuard) && !(await isUsed(claim, world))) {
      return letGo(world, { kind: volumeClaims, object: claim, guard: claimGuard });
    }
    const volume = world.shelf(volumes).find(place);
    if (volume !== undefined && isHeld(volume, volumeGuard) && !isBound(volume)) {
      const guardian = world.as(accountOf('pv-protection-controller'));
      return letGo(guardian, { kind: volumes, object: volume, guard: volumeGuard });
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

/** The shelf may not have the last pod yet, and what is let go does not come back. */
async function isUsed(claim: Thing, world: World): Promise<boolean> {
  const { namespace = '' } = claim.metadata;
  const uses = usesOf(placeOf(claim));
  if ([...world.shelf(pods).list(namespace)].some(uses)) return true;
  for await (const pod of world.listLive(pods, namespace)) if (uses(pod)) return true;
  return false;
}

/** A pod that has no node yet gets none, once its claim is leaving. */
function usesOf(claim: string): (pod: Pod) => boolean {
  return (pod) => pod.spec.nodeName !== undefined && claimsOf(pod).includes(claim);
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
  const { finalizers = [] } = object.metadata;
  const body = { metadata: { finalizers: finalizers.filter((each) => each !== guard) } };
  return outcomeOf(await world.api.update(targetOf(kind, object), object, body));
}
