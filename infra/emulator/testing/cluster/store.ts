import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { FieldOwners } from './field-owners.ts';

export type Stored = { readonly object: KubeObject; readonly owners: FieldOwners };

/** What identifies an object: versions of a group are views of the same one. */
export type Place = {
  readonly kind: Pick<Kind, 'group' | 'kind'>;
  readonly namespace?: string | undefined;
  readonly name: string;
};

export type Store = {
  find(place: Place): Stored | undefined;
  /** By namespace and name, as the real server lists. */
  list(kind: Place['kind']): readonly KubeObject[];
  put(place: Place, stored: Stored): void;
  remove(place: Place): void;
  nextVersion(): string;
  nextUid(): string;
};

export function memoryStore(): Store {
  const kinds = new Map<string, Map<string, Stored>>();
  let version = 0;
  let uids = 0;
  const of = ({ group, kind }: Place['kind']) => {
    const key = `${group}/${kind}`;
    const known = kinds.get(key) ?? new Map<string, Stored>();
    kinds.set(key, known);
    return known;
  };
  return {
    find: (place) => of(place.kind).get(keyOf(place)),
    list: (kind) =>
      [...of(kind)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { object }]) => object),
    put: (place, stored) => void of(place.kind).set(keyOf(place), stored),
    remove: (place) => void of(place.kind).delete(keyOf(place)),
    nextVersion: () => String(++version),
    nextUid: () => `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`,
  };
}

function keyOf({ namespace = '', name }: Place): string {
  return `${namespace}/${name}`;
}
