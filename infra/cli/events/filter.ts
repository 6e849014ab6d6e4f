import type { Happening } from '#shared/runtime/worker/happening.ts';

/** What is left out lets everything through. */
export type Filter = {
  /** `pods`, `deployments.apps` */
  readonly kind?: string;
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

function isKind(kind: string, { group, resource }: Named): boolean {
  const wanted = kind.toLowerCase();
  return wanted === resource || wanted === kindOf({ group, resource });
}

export function kindOf({ group, resource }: Pick<Named, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function concerns(happening: Happening, name: string): boolean {
  return happening.kind === 'event' ? happening.wakes.includes(name) : happening.function === name;
}
