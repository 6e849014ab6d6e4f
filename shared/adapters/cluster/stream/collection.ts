import type { Scope } from '#shared/domain/watched.ts';
import { collectionPath } from '../address.ts';

/** Secrets' contents stay on the server: there is no second choice that would send them. */
export const partial = {
  one: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  many: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
} as const;

export type Query = Readonly<Record<string, string | undefined>>;

/** Where a scope's objects are read, and by which selectors. */
export function collectionOf(scope: Scope): { readonly path: string; readonly query: Query } {
  return {
    path: collectionPath(scope.kind, scope.namespace),
    query: { labelSelector: scope.labels, fieldSelector: scope.fields },
  };
}

/** For errors: `list secrets in team-a`. */
export function wordsOf(verb: string, { kind, namespace }: Scope): string {
  return `${verb} ${kind.resource}${namespace ? ` in ${namespace}` : ''}`;
}
