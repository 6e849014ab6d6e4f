import { distance } from 'fastest-levenshtein';
import type { Kind } from '#shared/domain/kind.ts';
import type { Happening } from '#shared/runtime/happening.ts';

/** Of any group where none is said. */
export type WantedKind = { readonly resource: string; readonly group: string | undefined };

/** What is left out lets everything through. */
export type Filter = {
  readonly kind?: WantedKind;
  readonly namespace?: string;
  readonly function?: string;
};

export function isWanted(happening: Happening, filter: Filter): boolean {
  const { object } = happening;
  return (
    (filter.kind === undefined || (object !== undefined && isKind(filter.kind, object))) &&
    (filter.namespace === undefined || object?.namespace === filter.namespace) &&
    (filter.function === undefined || concerns(happening, filter.function))
  );
}

type Named = NonNullable<Happening['object']>;

function isKind(wanted: WantedKind, { group, resource }: Named): boolean {
  return wanted.resource === resource && (wanted.group ?? group) === group;
}

/** Of `pods`, `pod`, `Pod`, `deployments.apps`, `Deployment.apps`. */
export function wantedKind(word: string, kinds: readonly Kind[]): WantedKind | undefined {
  const { name, group } = partsOf(word);
  const found = kinds.find(
    (kind) => namesOf(kind).includes(name) && (group ?? kind.group) === kind.group,
  );
  return found && { resource: found.resource, group };
}

/** What was probably meant. */
export function nearestKind(word: string, kinds: readonly Kind[]): string | undefined {
  const { name } = partsOf(word);
  const far = (kind: Kind) => Math.min(...namesOf(kind).map((each) => distance(each, name)));
  const [best] = kinds.toSorted((one, other) => far(one) - far(other));
  const isNear = best !== undefined && far(best) > 0 && far(best) <= Math.ceil(name.length * 0.4);
  return isNear ? kindOf(best) : undefined;
}

function partsOf(word: string) {
  const [name = '', ...group] = word.toLowerCase().split('.');
  return { name, group: group.length === 0 ? undefined : group.join('.') };
}

function namesOf({ resource, kind }: Kind): readonly string[] {
  return [resource, kind.toLowerCase()];
}

export function kindOf({ group, resource }: Pick<Named, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function concerns(happening: Happening, name: string): boolean {
  return happening.kind === 'event' ? happening.wakes.includes(name) : happening.function === name;
}
