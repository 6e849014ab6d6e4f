import type { SetAffected } from '#events/kinds.ts';
import { scopesOfAll } from '#shared/domain/watched.ts';
import type { Members } from '#shared/runtime/worker/expand.ts';
import type { MirrorShelf, Place, StoredRow, StoredWatch } from '../../testing/mirror/shelf.ts';

/** As the adapter reads them: living rows of the set, in the order of their uids, once they are listed. */
export function membersOfShelf(shelf: MirrorShelf, nowMs: () => number): Members {
  return async (set, max) => {
    const { again } = set;
    const followed = followedOf(shelf, set);
    if (followed.length === 0) return 'unfollowed';
    const living = livingOf(shelf, set);
    const epoch = shelf.clusters.get(set.cluster)?.epoch;
    const isKnown = ({ cursor }: StoredWatch) =>
      cursor.epoch === epoch &&
      (typeof cursor.at === 'object' ||
        (cursor.at === 'nowhere' && cursor.generation > 0 && living.length === 0));
    if (!followed.every(isKnown)) return 'unknown';
    const { since = 0 } = again ?? {};
    const members = living
      .filter(({ row, mirroredAtMs }) => row.uid > set.after && mirroredAtMs >= since)
      .map(({ row: { namespace, name, uid } }) => ({ namespace, name, uid }))
      .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
      .slice(0, max);
    const caughtUp = followed
      .filter(({ cursor }) => typeof cursor.at === 'object')
      .map(({ caughtUpAtMs = 0 }) => caughtUpAtMs);
    return { members, now: nowMs(), caughtUpAt: Math.min(nowMs(), ...caughtUp) };
  };
}

function followedOf({ watches }: MirrorShelf, set: SetAffected): readonly StoredWatch[] {
  const whole = scopesOfAll(set, { namespace: set.namespace });
  return [...watches.values()].filter(
    (each) => isOf(each, set) && !each.isRetired && whole.includes(each.scope),
  );
}

function livingOf({ rows }: MirrorShelf, set: SetAffected): readonly StoredRow[] {
  return [...rows.values()].filter((each) => {
    const isThere = set.namespace === '' || each.row.namespace === set.namespace;
    return isOf(each, set) && isThere && !each.row.isDeleted;
  });
}

function isOf({ cluster, group, resource }: Omit<Place, 'scope'>, set: SetAffected): boolean {
  return cluster === set.cluster && group === set.group && resource === set.resource;
}
