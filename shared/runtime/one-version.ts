import { type Definition, watchesOf } from '#shared/define.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';

type Stated = { readonly file: string; readonly definition: Definition };
type Followed = { readonly file: string; readonly kind: Kind };

/** The mirror keeps each object once, and a filter reads what it keeps: all who follow a kind follow one version of it. */
export function otherVersions(stated: readonly Stated[]) {
  const followed = stated.flatMap(({ file, definition }) =>
    followedBy(definition).map((kind): Followed => ({ file, kind })),
  );
  return followed.flatMap(({ file, kind }, index) => {
    const before = followed.slice(0, index).find((other) => isOtherVersion(other.kind, kind));
    if (before === undefined) return [];
    const why = `it follows ${kind.resource} of ${apiVersion(kind)}, and ${before.file} those of ${apiVersion(before.kind)}`;
    return [{ file, why, mend: 'follow one version of the kind in all functions' }];
  });
}

function isOtherVersion(one: Kind, other: Kind): boolean {
  return (
    one.group === other.group && one.resource === other.resource && one.version !== other.version
  );
}

function followedBy(definition: Definition): readonly Kind[] {
  const { reads = [] } = definition;
  if (definition.shape !== 'reconcile') return reads;
  const watches = watchesOf(definition.trigger);
  const sets = watches.flatMap(({ wakes }) =>
    wakes === undefined || 'owner' in wakes ? [] : wakes.all,
  );
  return [...reads, ...watches.map(({ of }) => of), ...sets];
}
