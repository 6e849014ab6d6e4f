import { type Outcome, retry } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import type { World } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { deployments, replicaSets } from '../shapes/kinds.ts';
import type { Deployment } from '../shapes/workload.ts';
import { progress } from './rollout-conditions.ts';
import { nextRevision, type Sets } from './rollout-sets.ts';
import { setObject } from './set-object.ts';
import { stateRevision, tellRefused, tellScaled } from './telling.ts';

export type Rolling = {
  readonly deployment: Deployment;
  readonly sets: Sets;
  readonly world: World;
};

/** Of the present template. */
export async function createSet(
  replicas: number,
  { deployment, sets, world }: Rolling,
): Promise<Outcome> {
  const stated = setObject(deployment, sets, replicas);
  const { name } = stated.metadata;
  const written = await world.api.create(replicaSets, stated);
  if (written.kind === 'written') {
    tellScaled({ name, from: 0, to: replicas }, deployment, world);
    const created = progress('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    return stateRevision({ deployment, revision: nextRevision(sets), created }, world);
  }
  if (written.kind === 'refused') await tellRefused({ name, why: written.why }, deployment, world);
  const place = `${stated.metadata.namespace}/${stated.metadata.name}`;
  const known = world.shelf(replicaSets).find(place);
  if (written.kind !== 'conflict' || known === undefined) return outcomeOf(written);
  // Another template's set has the name: the next name is made with one collision more.
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  const object = deployment;
  await writeStatus(world, { kind: deployments, object, status: { collisionCount } });
  return retry(`${place} is of another template`);
}
