import type { Kind } from '#shared/domain/kind.ts';
import type { World } from '../frame/controller.ts';
import type { Thing } from '../shapes/meta.ts';

export type Owning = { readonly owner: Thing; readonly kind: Kind };

/** `job-controller` */
export function byOf({ kind }: Kind): string {
  if (kind === 'ReplicationController') return 'replication-controller';
  return `${kind.toLowerCase()}-controller`;
}

type Done = { readonly what: 'Create' | 'Delete'; readonly pod: string };

/** An Event of the owner for each of its pods that comes or goes. */
export function told(world: World, { owner, kind }: Owning, { what, pod }: Done): void {
  const note =
    kind.kind === 'StatefulSet'
      ? `${what.toLowerCase()} Pod ${pod} in StatefulSet ${owner.metadata.name} successful`
      : `${what}d pod: ${pod}`;
  world.report(owner, kind, {
    type: 'Normal',
    reason: `Successful${what}`,
    note,
    by: byOf(kind),
  });
}
