import type { Outcome } from '#shared/domain/outcome.ts';
import { outcomeOfAll } from '../frame/api.ts';
import { targetOf, type World } from '../frame/controller.ts';
import { pods } from '../shapes/kinds.ts';
import type { Pod } from '../shapes/pod.ts';
import { type Owning, told } from './told.ts';

type Removing = Owning & { readonly surplus: readonly Pod[] };

export async function removePods(world: World, { surplus, ...owning }: Removing): Promise<Outcome> {
  const removed = surplus.map(async (pod) => {
    const written = await world.api.remove(targetOf(pods, pod), { uid: pod.metadata.uid });
    if (written.kind === 'written') told(world, owning, { what: 'Delete', pod: pod.metadata.name });
    return written;
  });
  return outcomeOfAll(await Promise.all(removed));
}
