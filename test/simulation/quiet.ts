import { isWoken } from '#events/forwarder/backfilling.ts';
import { type Followed, followedFrom } from '#events/forwarder/followed.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { clusterName, functionNames, periodSeconds, subscriptionsOf, widgets } from './cast.ts';
import { hasNews } from './cluster/watch.ts';
import { rowsOf } from './database/judging.ts';
import { storedWatch } from './noticing.ts';
import { roll, type World } from './people/forwarder.ts';
import { redriveAll } from './people/operator.ts';
import { allOf, type Processes } from './people/processes.ts';
import { replaceDead } from './weather.ts';

/** The faults stop, and everybody is there again. What is half open stays so, until somebody notices. */
export function calm(all: Processes): void {
  const { server, database } = all.world;
  server.faults.stop();
  server.state.lagging = undefined;
  database.awayUntil = 0;
  if (all.world.dice.chance(0.7)) server.state.served ??= widgets.version;
  for (const process of allOf(all)) if (process.state === 'asleep') process.state = 'running';
  while (replaceDead(all));
  settleCast(all);
}

/** Everybody follows what is set by now. */
function settleCast({ world, cast, forwarders }: Processes): void {
  for (const each of forwarders) {
    const isBehind = each.edition < cast.edition && !each.isSetting;
    if (each.process.state === 'running' && isBehind) roll(each, cast, world);
  }
}

export type Calm = { readonly atMs: number; readonly atCount: number; bookmarkedAtMs: number };

/** As an API server does about once a minute: by those, a look at a set knows that nobody is behind. */
export function sayBookmarks({ world: { server, stage } }: Processes, calm: Calm): void {
  if (stage.now() < calm.bookmarkedAtMs + 60_000) return;
  calm.bookmarkedAtMs = stage.now();
  for (const watch of server.watches) watch.wantsBookmark = true;
}

/** What still moves, or nothing. Asked when nobody can go on before time does. */
export async function unrest(all: Processes, since: Calm): Promise<string | undefined> {
  const { world, forwarders, cast } = all;
  const { database, stage } = world;
  settleCast(all);
  if (forwarders.some(({ process, isSetting }) => process.state === 'running' && isSetting)) {
    return 'a forwarder is being set';
  }
  const followed = followedFrom(subscriptionsOf(cast));
  const moving = followed.find((each) => !isCaughtUp(each, world));
  if (moving !== undefined) return `${scopeName(moving.scope)} is not caught up`;
  if (await redriveAll(database)) return 'something is buried';
  const depths = await database.queue.depth(functionNames);
  const deep = depths.find(({ waiting, inFlight }) => waiting + inFlight > 0);
  if (deep !== undefined) return `messages for ${deep.function} lie in the queue`;
  if (database.wakeups.pending() > 0) return 'something is on the schedule';
  if (database.ledger.lastRun('tick for its period') > since.atCount) return undefined;
  if (stage.now() - since.atMs > 4_000 * periodSeconds) {
    database.ledger.break('period', `none of tick's in ${4 * periodSeconds} s`);
  }
  return 'a period is not over';
}

function isEmptied({ scope }: Followed, { database: { shelf } }: World): boolean {
  return [...rowsOf(shelf, scopeName(scope)).values()].every(
    ({ isDeleted, namespace }) =>
      isDeleted || (scope.namespace !== undefined && namespace !== scope.namespace),
  );
}

function isCaughtUp(followed: Followed, world: World): boolean {
  const { server, database } = world;
  const name = scopeName(followed.scope);
  const stored = storedWatch(world, name);
  if (stored === undefined) return false;
  if (followed.scope.kind.resource === widgets.resource && server.state.served === undefined) {
    // So it says from the first of those who are gone on, and whoever comes after a crash begins with the rest.
    return (
      stored.cursor.at === 'nowhere' && stored.cursor.generation > 0 && isEmptied(followed, world)
    );
  }
  const backfills = [...database.shelf.backfills.values()]
    .filter(({ scope }) => scope === name)
    .map(({ backfill }) => backfill);
  if (typeof stored.cursor.at === 'string' || !isWoken(backfills, followed)) return false;
  // Restored, or another cluster, and not noticed yet: the next end of the watch will tell.
  const known = database.shelf.clusters.get(clusterName);
  if (known?.uid !== server.state.uid || known.epoch !== stored.cursor.epoch) return false;
  if (Number(stored.cursor.at.resourceVersion) > server.state.revision) return false;
  return [...server.watches].some(
    (watch) =>
      watch.by.name === stored.holder &&
      watch.scope.kind.resource === followed.scope.kind.resource &&
      watch.scope.namespace === followed.scope.namespace &&
      watch.incarnation === server.state.incarnation &&
      watch.ended === undefined &&
      !watch.isSilent &&
      !hasNews(watch, server),
  );
}
