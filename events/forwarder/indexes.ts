import type { KubeObject } from '#shared/domain/kube-object.ts';
import { indexNames } from '#shared/domain/named-index.ts';
import type { Followed } from './followed.ts';

export function indexesOf({ subscriptions }: Followed): string {
  const names = subscriptions.flatMap(({ watch: { indexes = {} } }) => Object.keys(indexes));
  return indexNames(names);
}

/** `image-digest=sha256:…`. An index that fails on an object does not find it; it must not stop all others. */
export function keysOf(
  object: KubeObject,
  subscriptions: Followed['subscriptions'],
): readonly string[] {
  const keys = subscriptions.flatMap(({ watch: { indexes = {} } }) =>
    Object.entries(indexes).flatMap(([name, of]) => {
      try {
        return of(object).map((key) => `${name}=${key}`);
      } catch {
        // A pure maker of keys met a shape that it did not expect: the object has none of its keys.
        return [];
      }
    }),
  );
  return [...new Set(keys)];
}
