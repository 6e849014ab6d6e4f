import type { Definition } from '#shared/define.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Cluster, Mirror } from '#shared/ports.ts';

/**
 * Finds by name in the cluster itself what the function may get there; the rest is as new as the mirror. Lists are so
 * too: who writes something because of a list has the object's own version to be refused by.
 */
export function liveMirror(
  mirror: Mirror,
  cluster: Cluster,
  { uses, access = [] }: Definition,
): Mirror {
  const mayGet = ({ group, resource }: Kind): boolean =>
    uses.includes('cluster') &&
    access.some(
      ({ kind, verbs, subresource, names, namespace }) =>
        kind.group === group &&
        kind.resource === resource &&
        verbs.includes('get') &&
        [subresource, names, namespace].every((narrower) => narrower === undefined),
    );
  return {
    ...mirror,
    async find(kind, at) {
      if (!mayGet(kind)) return mirror.find(kind, at);
      const { namespace, name } = at;
      // Of a message handed on as it is, all else is no part of the place: its `kind` is another.
      const object = await cluster.find({ kind, namespace, name });
      return { object, resourceVersion: object?.metadata.resourceVersion ?? '' };
    },
  };
}
