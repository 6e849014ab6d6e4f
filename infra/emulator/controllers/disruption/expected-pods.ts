import type { World } from '../frame/controller.ts';
import {
  deployments,
  nameOfKind,
  replicaSets,
  replicationControllers,
  statefulSets,
} from '../shapes/kinds.ts';
import { controllerOf, type OwnerReference, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Budget } from '../shapes/surroundings.ts';
import type { ReplicaSet } from '../shapes/workload.ts';
import { type Expected, needsScale } from './plan-budget.ts';

type Scale = { readonly uid: string; readonly replicas: number };

/** What the owners of the pods want, where the budget is about a part of that; a pod that nobody owns adds nothing. */
export async function expectedOf(
  budget: Budget,
  covered: readonly Pod[],
  world: World,
): Promise<Expected> {
  if (!needsScale(budget)) return { kind: 'count', pods: covered.length };
  const scales = new Map<string, number>();
  for (const pod of covered) {
    const owner = controllerOf(pod);
    if (owner === undefined || scales.has(owner.uid)) continue;
    const scale = scaleKnown(owner, pod, world) ?? (await scaleAsked(owner, pod, world));
    if (typeof scale === 'string') return { kind: 'unknown', why: scale };
    scales.set(scale.uid, scale.replicas);
  }
  return { kind: 'count', pods: [...scales.values()].reduce((sum, each) => sum + each, 0) };
}

/** Of the kinds whose objects are followed anyway. */
function scaleKnown(owner: OwnerReference, { metadata }: Pod, world: World): Scale | undefined {
  const place = `${metadata.namespace ?? ''}/${owner.name}`;
  switch (owner.kind) {
    case 'ReplicationController':
      return scaleIn(world.shelf(replicationControllers).find(place), owner);
    case 'StatefulSet':
      return scaleIn(world.shelf(statefulSets).find(place), owner);
    case 'ReplicaSet':
      return scaleOfSet(world.shelf(replicaSets).find(place), owner, world);
    default:
      return undefined;
  }
}

function scaleOfSet(set: ReplicaSet | undefined, owner: OwnerReference, world: World) {
  const above = set && controllerOf(set);
  if (above?.kind !== 'Deployment') return scaleIn(set, owner);
  const place = `${set?.metadata.namespace ?? ''}/${above.name}`;
  return scaleIn(world.shelf(deployments).find(place), above);
}

type Scaled = Thing & { readonly spec: { readonly replicas?: number } };

function scaleIn(object: Scaled | undefined, { uid }: OwnerReference): Scale | undefined {
  if (object?.metadata.uid !== uid) return undefined;
  return { uid, replicas: object.spec.replicas ?? 1 };
}

/** Of any other kind; or why there is none. */
async function scaleAsked(
  owner: OwnerReference,
  { metadata }: Pod,
  world: World,
): Promise<Scale | string> {
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [];
  const { kinds } = await world.discover();
  const kind = kinds.find((each) => each.group === group && each.kind === owner.kind);
  if (kind === undefined) {
    return `no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`;
  }
  const { namespace } = metadata;
  const found = await world.api.find({ kind, namespace, name: owner.name, subresource: 'scale' });
  if (found === undefined) return `${nameOfKind(kind)} does not implement the scale subresource`;
  const { replicas = 0 } = (found['spec'] ?? {}) as Scaled['spec'];
  return found.metadata.uid === owner.uid
    ? { uid: owner.uid, replicas }
    : `found no controllers for pod "${metadata.name}"`;
}
