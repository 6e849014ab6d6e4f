import type { Written } from '../frame/api.ts';
import type { World } from '../frame/controller.ts';
import { byOf } from '../owning/told.ts';
import { statefulSets, volumeClaims } from '../shapes/kinds.ts';
import { placeOf } from '../shapes/meta.ts';
import type { StatefulSet } from '../shapes/workload.ts';

/** What its pods keep, each under the name of the template and of the pod; one that is there stays as it is. */
export async function createClaims(
  world: World,
  set: StatefulSet,
  ordinals: readonly number[],
): Promise<Written | undefined> {
  const known = world.shelf(volumeClaims);
  const stated = ordinals
    .flatMap((ordinal) => claimsOf(set, ordinal))
    .filter(({ claim }) => known.find(placeOf(claim)) === undefined);
  const written = await Promise.all(
    stated.map(async ({ pod, claim }) => {
      const answer = await world.api.create(volumeClaims, claim);
      if (answer.kind === 'written') tell(world, set, { pod, claim: claim.metadata.name });
      return answer;
    }),
  );
  return written.find(({ kind }) => kind !== 'written' && kind !== 'conflict');
}

type Made = { readonly pod: string; readonly claim: string };

function tell(world: World, set: StatefulSet, { pod, claim }: Made): void {
  world.report(set, statefulSets, {
    type: 'Normal',
    reason: 'SuccessfulCreate',
    note: `Create Claim ${claim} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
    by: byOf(statefulSets),
  });
}

/** Of the pod of this number. */
export function claimNames(set: StatefulSet, ordinal: number): readonly string[] {
  return claimsOf(set, ordinal).map(({ claim }) => claim.metadata.name);
}

function claimsOf({ metadata, spec }: StatefulSet, ordinal: number) {
  const { matchLabels } = spec.selector;
  const pod = `${metadata.name}-${ordinal}`;
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    pod,
    claim: {
      metadata: {
        namespace: metadata.namespace ?? '',
        name: `${template.metadata.name}-${pod}`,
        labels: { ...template.metadata.labels, ...matchLabels },
        annotations: { ...template.metadata.annotations },
      },
      spec: template.spec,
    },
  }));
}
