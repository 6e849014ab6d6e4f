import type { SetAffected } from '#events/kinds.ts';
import type { Member } from '#shared/runtime/worker/expand.ts';
import type { MirrorShelf } from '../../testing/mirror/shelf.ts';

/** As the adapter reads them: living rows of the set, in the order of their uids. */
export function membersOfShelf(shelf: MirrorShelf) {
  return async (set: SetAffected, max: number): Promise<readonly Member[]> =>
    [...shelf.rows.values()]
      .filter(({ cluster, group, resource }) => {
        return cluster === set.cluster && group === set.group && resource === set.resource;
      })
      .map(({ row }) => row)
      .filter(({ isDeleted, namespace, uid }) => {
        const isThere = set.namespace === '' || namespace === set.namespace;
        return !isDeleted && isThere && uid > set.after;
      })
      .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
      .slice(0, max)
      .map(({ namespace, name, uid }) => ({ namespace, name, uid }));
}
