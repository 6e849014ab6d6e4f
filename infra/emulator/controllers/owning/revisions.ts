import { sameJson } from '#shared/domain/json.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf, outcomeOfAll } from '../frame/api.ts';
import { targetOf, type World } from '../frame/controller.ts';
import { controllerRevisions } from '../shapes/kinds.ts';
import { isControlledBy, type Thing } from '../shapes/meta.ts';
import type { PodTemplate } from '../shapes/pod.ts';
import type { ControllerRevision } from '../shapes/workload.ts';
import { templateHash } from '../template-hash.ts';
import { ownerReference } from './claim.ts';

export const revisionLabel = 'controller-revision-hash';
/** Of the revisions of all but DaemonSets, which have that of their pods. */
const hashLabel = 'controller.kubernetes.io/hash';

export type Owner = Thing & {
  readonly spec: { readonly template: PodTemplate; readonly revisionHistoryLimit?: number };
};

/** Templates that the owner has had, the oldest first. */
export function revisionsOf(owner: Owner, world: World): readonly ControllerRevision[] {
  return [...world.shelf(controllerRevisions).ownedBy(owner.metadata.uid)]
    .filter((each) => isControlledBy(each, owner))
    .toSorted((a, b) => a.revision - b.revision);
}

/** The one of this template, where it is known already. */
export function revisionFor(
  { spec }: Owner,
  revisions: readonly ControllerRevision[],
): ControllerRevision | undefined {
  return revisions.find(({ data }) => {
    const { $patch: _, ...template } = data.spec.template;
    return sameJson(template, spec.template);
  });
}

/** Makes the present template the newest revision; `done` where it is that. */
export async function stateRevision(owner: Owner, world: World): Promise<Outcome> {
  const revisions = revisionsOf(owner, world);
  const known = revisionFor(owner, revisions);
  const last = revisions.at(-1);
  const revision = (last?.revision ?? 0) + 1;
  if (known === undefined) {
    return outcomeOf(await world.api.create(controllerRevisions, revisionObject(owner, revision)));
  }
  if (known === last) return done;
  // Rolled back to: it counts as the newest once more.
  const { resourceVersion } = known.metadata;
  const target = targetOf(controllerRevisions, known);
  return outcomeOf(await world.api.patch(target, { revision }, resourceVersion));
}

function revisionObject(owner: Owner, revision: number) {
  const { name, namespace = '', annotations = {} } = owner.metadata;
  const { template } = owner.spec;
  const hash = templateHash(template);
  const label = owner.kind === 'DaemonSet' ? revisionLabel : hashLabel;
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [label]: hash },
      annotations,
      ownerReferences: [ownerReference(owner)],
    },
    // What `kubectl rollout undo` sends as it is.
    data: { spec: { template: { ...template, $patch: 'replace' } } },
    revision,
  };
}

/** Beyond what is kept for rolling back, those that no pod carries are forgotten; below nought all are kept. */
export async function forgetRevisions(
  owner: Owner,
  used: ReadonlySet<string>,
  world: World,
): Promise<Outcome> {
  const unused = revisionsOf(owner, world).filter(({ metadata }) => !used.has(metadata.name));
  const { revisionHistoryLimit: kept = 10 } = owner.spec;
  const surplus = kept < 0 ? [] : unused.slice(0, Math.max(0, unused.length - kept));
  const removed = surplus.map((each) => {
    return world.api.remove(targetOf(controllerRevisions, each), { uid: each.metadata.uid });
  });
  return outcomeOfAll(await Promise.all(removed));
}
