import type { Kind } from '#shared/domain/kind.ts';
import type { World } from '../frame/controller.ts';
import type { Thing } from '../shapes/meta.ts';

export type Owning = { readonly owner: Thing; readonly kind: Kind };

/** `job-controller` */
export function byOf({ kind }: Kind): string {
  if (kind === 'ReplicationController') return 'replication-controller';
  return `${kind.toLowerCase()}-controller`;
}

type Done = { readonly what: 'Create' | 'Update' | 'Delete'; readonly pod: string };

/** An Event of the owner for each of its pods that comes or goes. */
export function told(world: World, owning: Owning, { what, pod }: Done): void {
  const note = ofSet(owning, what, pod, 'successful') ?? `${what}d pod: ${pod}`;
  const { owner, kind } = owning;
  world.report(owner, kind, { type: 'Normal', reason: `Successful${what}`, note, by: byOf(kind) });
}

type Refused = { readonly pod: string; readonly why: string };

export function toldRefused(world: World, owning: Owning, { pod, why }: Refused): void {
  const note = ofSet(owning, 'Create', pod, `failed error: ${why}`) ?? `Error creating: ${why}`;
  const { owner, kind } = owning;
  world.report(owner, kind, { type: 'Warning', reason: 'FailedCreate', note, by: byOf(kind) });
}

/** A StatefulSet has words of its own. */
function ofSet({ owner, kind }: Owning, ...[what, pod, how]: [string, string, string]) {
  if (kind.kind !== 'StatefulSet') return undefined;
  return `${what} Pod ${pod} in StatefulSet ${owner.metadata.name} ${how}`;
}
