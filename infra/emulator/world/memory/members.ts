import type { SetAffected } from '#events/kinds.ts';
import { scopesOfAll } from '#shared/domain/watched.ts';
import type { Member } from '#shared/runtime/worker/expand.ts';
import type { MirrorShelf, Place } from '../../testing/mirror/shelf.ts';

/** As the adapter reads them: living rows of the set, in the order of their uids, once they are listed. */
export function membersOfShelf(shelf: MirrorShelf) {
  return async (set: SetAffected, max: number): Promise<readonly Member[] | undefined> => {
    if (!isListed(shelf, set)) return undefined;
    return [...shelf.rows.values()]
      .filter((each) => isOf(each, set))
      .map(({ row }) => row)
      .filter(({ isDeleted, namespace, uid }) => {
        const isThere = set.namespace === '' || namespace === set.namespace;
        return !isDeleted && isThere && uid > set.after;
      })
      .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
      .slice(0, max)
      .map(({ namespace, name, uid }) => ({ namespace, name, uid }));
  };
}

function isListed({ watches, clusters }: MirrorShelf, set: SetAffected): boolean {
  const epoch = clusters.get(set.cluster)?.epoch;
  const whole = scopesOfAll(set, { namespace: set.namespace });
  const found = [...watches.values()].filter(
    (each) => isOf(each, set) && !each.isRetired && whole.includes(each.scope),
  );
  return (
    found.length > 0 &&
    found.every(({ cursor }) => typeof cursor.at === 'object' && cursor.epoch === epoch)
  );
}

function isOf({ cluster, group, resource }: Omit<Place, 'scope'>, set: SetAffected): boolean {
  return cluster === set.cluster && group === set.group && resource === set.resource;
}
