import { timeText, withCondition } from '../conditions.ts';
import type { Condition } from '../shapes/meta.ts';
import type { Namespace } from '../shapes/surroundings.ts';

export const kubernetes = 'kubernetes';

/** What is left in a namespace that is ending. */
export type Remains = {
  /** As long as there are, all else is left as it is. */
  readonly hasPods: boolean;
  /** Per kind, `configmaps.` or `deployments.apps`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  /** Groups that do not answer. */
  readonly undiscovered: readonly string[];
  readonly failures: readonly string[];
};

export function isEmptied({ hasPods, counts, undiscovered, failures }: Remains): boolean {
  return !hasPods && counts.size + undiscovered.length + failures.length === 0;
}

export function isEnding({ metadata, spec }: Namespace): boolean {
  const isOurs = spec?.finalizers?.includes(kubernetes) ?? false;
  return metadata.deletionTimestamp !== undefined && isOurs;
}

type Said = readonly [reason: string, message: string];

/** Each condition says what is in the way, or that nothing is. */
export function endingConditions(
  { status }: Namespace,
  remains: Remains,
  now: Date,
): readonly Condition[] {
  const said: Readonly<Record<string, { readonly bad?: Said; readonly good: Said }>> = {
    NamespaceDeletionDiscoveryFailure: {
      ...whenAny(remains.undiscovered, 'DiscoveryFailed', 'Discovery failed for some groups, '),
      good: ['ResourcesDiscovered', 'All resources successfully discovered'],
    },
    NamespaceDeletionGroupVersionParsingFailure: {
      good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    },
    NamespaceDeletionContentFailure: {
      ...whenAny(
        remains.failures,
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${remains.failures.length} remaining: `,
      ),
      good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    },
    NamespaceContentRemaining: {
      ...whenAny(
        [...remains.counts].map(([kind, count]) => `${kind} has ${count} resource instances`),
        'SomeResourcesRemain',
        'Some resources are remaining: ',
      ),
      good: ['ContentRemoved', 'All content successfully removed'],
    },
    NamespaceFinalizersRemaining: {
      ...whenAny(
        [...remains.finalizers].map(([name, count]) => `${name} in ${count} resource instances`),
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: ',
      ),
      good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    },
  };
  return Object.entries(said).reduce<readonly Condition[]>((conditions, [type, { bad, good }]) => {
    const [reason, message] = bad ?? good;
    const next = { type, status: bad === undefined ? 'False' : 'True', reason, message } as const;
    return withCondition(conditions, next, timeText(now));
  }, status?.conditions ?? []);
}

function whenAny(
  all: readonly string[],
  ...[reason, begin]: [string, string]
): { readonly bad?: Said } {
  return all.length === 0 ? {} : { bad: [reason, `${begin}${all.toSorted().join(', ')}`] };
}
