import type { World } from '../frame/controller.ts';
import { volumeClaims } from '../shapes/kinds.ts';
import { isLeaving } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';

/** Why no node can take the pod; that a claim is bound nobody waits for, since nobody binds any. */
export function claimFlaw({ metadata, spec }: Pod, world: World): string | undefined {
  for (const { persistentVolumeClaim } of spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = world.shelf(volumeClaims).find(`${metadata.namespace ?? ''}/${claimName}`);
    if (claim === undefined) return `persistentvolumeclaim "${claimName}" not found`;
    if (isLeaving(claim)) return `persistentvolumeclaim "${claimName}" is being deleted`;
  }
  return undefined;
}
