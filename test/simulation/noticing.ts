import { type StoredWatch, watchKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { clusterName } from './cast.ts';
import { askerName } from './cluster/server.ts';
import { rowsOf } from './database/judging.ts';
import type { World } from './people/forwarder.ts';

/**
 * Has everybody noticed that the server was restored? DESIGN §4 promises it where the versions stay behind for 30 s:
 * so nobody writes on past the old ones before this.
 */
export function isNoticed(world: World): boolean {
  return [...world.database.shelf.watches.values()]
    .filter(({ isRetired }) => !isRetired)
    .every((watch) => hasNoticed(watch, world));
}

function hasNoticed(watch: StoredWatch, { server, database }: World): boolean {
  const { scope, holder, cursor } = watch;
  const { revision, incarnation } = server.state;
  if (typeof cursor.at === 'string' || Number(cursor.at.resourceVersion) > revision) return false;
  // What its writer has in hand may be of the time before.
  const asked = server.asked.get(askerName({ name: holder ?? '' }, scope));
  if (asked !== undefined && asked !== incarnation) return false;
  return [...rowsOf(database.shelf, scope).values()].every(
    ({ epoch, resourceVersion }) => epoch !== cursor.epoch || Number(resourceVersion) <= revision,
  );
}

/**
 * A GET of one object may be ahead of the cursor. A restore that takes back just that and leaves the cursor where it is
 * is noticed by nobody before the next list: a limit that is left, so it does not happen here.
 */
export function isAhead({ server, database: { shelf } }: World): boolean {
  if ([...server.looking.values()].some(({ state }) => state !== 'dead')) return true;
  return [...shelf.watches.values()].some(({ scope, cursor: { at, epoch } }) => {
    if (typeof at === 'string') return false;
    if ((server.vain.get(scope) ?? 0) > Number(at.resourceVersion)) return true;
    return [...rowsOf(shelf, scope).values()].some(
      (row) => row.epoch === epoch && Number(row.resourceVersion) > Number(at.resourceVersion),
    );
  });
}

export function storedWatch(
  { database: { shelf } }: World,
  scope: string,
): StoredWatch | undefined {
  return shelf.watches.get(watchKey({ cluster: clusterName, scope }));
}
