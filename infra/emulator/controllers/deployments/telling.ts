import { done, type Outcome } from '#shared/domain/outcome.ts';
import { timeText } from '../conditions.ts';
import { outcomeOf } from '../frame/api.ts';
import { targetOf, type World } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { deployments } from '../shapes/kinds.ts';
import { type Condition, placeOf } from '../shapes/meta.ts';
import type { Deployment } from '../shapes/workload.ts';
import { hasDeadline, progress, told } from './rollout-conditions.ts';
import { revisionKey } from './rollout-sets.ts';

const by = 'deployment-controller';

type Scaled = { readonly name: string; readonly from: number; readonly to: number };

export function tellScaled({ name, from, to }: Scaled, deployment: Deployment, world: World): void {
  if (from === to) return;
  const note = `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`;
  world.report(deployment, deployments, { type: 'Normal', reason: 'ScalingReplicaSet', note, by });
}

type Refused = { readonly name: string; readonly why: string };

/** That a set could not be made. */
export async function tellRefused({ name, why }: Refused, deployment: Deployment, world: World) {
  const reason = 'ReplicaSetCreateError';
  const note = `Failed to create new replica set "${name}": ${why}`;
  world.report(deployment, deployments, { type: 'Warning', reason, note, by });
  const conditions = conditionsWith(progress('False', reason, note), deployment, world);
  await writeStatus(world, { kind: deployments, object: deployment, status: { conditions } });
}

type Revised = {
  readonly deployment: Deployment;
  readonly revision: number;
  readonly created?: Condition;
};

/** Together with the status, since an annotation by itself would be a new generation. */
export async function stateRevision(
  { deployment, revision, created }: Revised,
  world: World,
): Promise<Outcome> {
  const known = world.shelf(deployments).find(placeOf(deployment)) ?? deployment;
  const isStated = known.metadata.annotations?.[revisionKey] === String(revision);
  if (isStated && created === undefined) return done;
  const body = {
    metadata: { annotations: { [revisionKey]: String(revision) } },
    ...(created && { status: { conditions: conditionsWith(created, known, world) } }),
  };
  const target = targetOf(deployments, known, 'status');
  return outcomeOf(await world.api.update(target, known, body));
}

function conditionsWith(next: Condition, deployment: Deployment, world: World) {
  const { conditions = [] } = deployment.status ?? {};
  return hasDeadline(deployment) ? told(conditions, next, timeText(world.now())) : conditions;
}
