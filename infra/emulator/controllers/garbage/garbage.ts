import type { Kind } from '#shared/domain/kind.ts';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf, outcomeOfAll } from '../frame/api.ts';
import { type Controller, targetOf, type World } from '../frame/controller.ts';
import type { Change, Shelf } from '../frame/shelf.ts';
import { apiServices, customKinds, nameOfKind } from '../shapes/kinds.ts';
import { placeOf, type Thing } from '../shapes/meta.ts';
import {
  dependentsOf,
  hasStrangeOwner,
  isCollected,
  type Member,
  misplaced,
  stateOf,
} from './graph.ts';
import {
  foreground,
  isBlocking,
  isForegroundDeletion,
  isOrphaning,
  orphan,
  planGarbage,
} from './plan-garbage.ts';

/** The key that makes it look for new kinds; no object's begins so. */
const kindsKey = 'kinds';
/** A definition is served a moment after it is written: it is looked for a few times, ever more seldom. */
const leastSeconds = 0.25;
const looksAfterNews = 5;
/** A group that does not answer is asked for so seldom, in the end. */
const mostSeconds = 60;

/** Deletes what has lost its owners, and lets owners go when what they wait for is gone. Follows the metadata of all kinds. */
export function garbageCollector(): Controller {
  const shelves = new Map<string, Shelf<Thing>>();
  let looks = 0;
  let add = (_: string) => {};
  const follow = (kind: Kind, world: World) => {
    const shelf = world.metadataOf(kind);
    shelves.set(nameOfKind(kind), shelf);
    shelf.onChange((change) => {
      if (change.after !== undefined && isConcerned(change.after)) add(keyOf(kind, change.after));
      const affected = [...lost(change, world), ...misnaming(change, world)];
      for (const { kind, object } of affected) add(keyOf(kind, object));
    });
    for (const object of shelf.list()) if (isConcerned(object)) add(keyOf(kind, object));
  };
  return {
    name: 'garbage',
    // Of dependents that were written a moment before, other watches tell.
    settleMs: 20,
    wakes: [customKinds, apiServices].map((kind) => ({
      kind,
      metadataOnly: true,
      places() {
        looks = 0;
        return [kindsKey];
      },
    })),
    begin(_, wakeUp) {
      add = wakeUp;
      // What is there now has been served for long.
      looks = looksAfterNews;
      wakeUp(kindsKey);
    },
    async reconcile(key, world) {
      if (key !== kindsKey) return collect(key, { shelves, world });
      const isWhole = await lookForKinds(world, {
        isFollowed: (name) => shelves.has(name),
        follow,
      });
      const seconds = Math.min(leastSeconds * 2 ** looks, mostSeconds);
      looks += 1;
      return isWhole && looks > looksAfterNews ? done : later(seconds);
    },
  };
}

function keyOf(kind: Kind, object: Thing): string {
  return `${nameOfKind(kind)}|${placeOf(object)}`;
}

/** Only what may have something to do: an object with owners, or one that waits for its dependents. */
function isConcerned({ metadata }: Thing): boolean {
  const { ownerReferences = [], finalizers = [], deletionTimestamp } = metadata;
  const waits = deletionTimestamp !== undefined && finalizers.length > 0;
  return waits || ownerReferences.length > 0;
}

/** Who has something to do because this object is gone, or begins to go. */
function lost({ before, after }: Change<Thing>, world: World): readonly Member[] {
  if (before === undefined) return [];
  const isGone = before.metadata.uid !== after?.metadata.uid;
  const dependents = isGone ? dependentsOf(before.metadata.uid, world) : [];
  return [...dependents, ...unblockedOwners(before, isGone ? undefined : after, world)];
}

/** What is in no namespace and names this one, which is in one, as its owner: it may have been heard of first. */
function misnaming({ before, after }: Change<Thing>, world: World): readonly Member[] {
  if (before !== undefined || after?.metadata.namespace === undefined) return [];
  return dependentsOf(after.metadata.uid, world).filter(
    ({ object }) => object.metadata.namespace === undefined,
  );
}

/** Owners that are being deleted in the foreground, and that this one holds up no longer. */
function unblockedOwners(before: Thing, after: Thing | undefined, world: World): readonly Member[] {
  const { metadata } = before;
  const unblocked = (metadata.ownerReferences ?? []).filter(
    ({ uid }) => isBlocking(before, uid) && (after === undefined || !isBlocking(after, uid)),
  );
  return unblocked.flatMap(({ kind, name, uid }) => {
    const places = [`${metadata.namespace ?? ''}/${name}`, `/${name}`];
    return world
      .followed()
      .filter((shelf) => shelf.kind.kind === kind)
      .flatMap((shelf) => places.map((place) => ({ kind: shelf.kind, object: shelf.find(place) })))
      .flatMap(({ kind, object }) =>
        object?.metadata.uid === uid && isForegroundDeletion(object) ? [{ kind, object }] : [],
      );
  });
}

type Following = {
  isFollowed(name: string): boolean;
  follow(kind: Kind, world: World): void;
};

/** Whether all groups have answered. */
async function lookForKinds(world: World, { isFollowed, follow }: Following): Promise<boolean> {
  const { kinds, failures } = await world.discoverAnew();
  const fresh = kinds.filter((kind) => isCollected(kind) && !isFollowed(nameOfKind(kind)));
  for (const kind of fresh) world.metadataOf(kind);
  await world.synced();
  for (const kind of fresh) follow(kind, world);
  return failures.length === 0;
}

type Collecting = { readonly shelves: ReadonlyMap<string, Shelf<Thing>>; readonly world: World };

async function collect(key: string, { shelves, world }: Collecting): Promise<Outcome> {
  const [name = '', place = ''] = key.split('|');
  const shelf = shelves.get(name);
  const object = shelf?.find(place);
  if (shelf === undefined || object === undefined) return done;
  const member = { kind: shelf.kind, object };
  if (isOrphaning(object)) return letGo(member, world);
  if (isForegroundDeletion(object)) return afterDependents(member, world);
  return judge(member, world);
}

async function judge({ kind, object }: Member, world: World): Promise<Outcome> {
  const { ownerReferences = [], uid, resourceVersion } = object.metadata;
  if (object.metadata.deletionTimestamp !== undefined) return done;
  const strange = await hasStrangeOwner(object, world);
  if (strange) await tellMisplaced({ kind, object }, world);
  if (strange) return done;
  const known = await Promise.all(
    ownerReferences.map(async (each) => [each.uid, await stateOf(each, object, world)] as const),
  );
  const dependents = dependentsOf(uid, world);
  const hasBlockingDependents = dependents.some((each) => isBlocking(each.object, uid));
  const plan = planGarbage(object, { states: new Map(known), hasBlockingDependents });
  if (plan.kind === 'keep') return done;
  const target = targetOf(kind, object);
  if (plan.kind === 'disown') {
    const body = { metadata: { ownerReferences: plan.references } };
    return outcomeOf(await world.api.patch(target, body, resourceVersion));
  }
  await tellMisplaced({ kind, object }, world);
  const { propagation } = plan;
  return outcomeOf(await world.api.remove(target, { uid, resourceVersion, propagation }));
}

async function tellMisplaced({ kind, object }: Member, world: World): Promise<void> {
  const { namespace = '' } = object.metadata;
  for (const { apiVersion, kind: owner, name, uid } of await misplaced(object, world)) {
    const reference = `[${apiVersion}/${owner}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    world.report(object, kind, {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      note: `ownerRef ${reference} does not exist in namespace "${namespace}"`,
      by: 'garbage-collector-controller',
    });
  }
}

/** In the foreground an owner goes last: its dependents are deleted, and only then its finalizer. */
async function afterDependents({ kind, object }: Member, world: World): Promise<Outcome> {
  const { uid } = object.metadata;
  const blocking = dependentsOf(uid, world).filter((each) => isBlocking(each.object, uid));
  if (blocking.length === 0) return withoutFinalizer({ kind, object }, foreground, world);
  const outcomes = await Promise.all(blocking.map((each) => judge(each, world)));
  return outcomes.find((each) => each.kind !== 'done') ?? done;
}

async function letGo({ kind, object }: Member, world: World): Promise<Outcome> {
  const { uid } = object.metadata;
  const written = await Promise.all(
    dependentsOf(uid, world).map((each) => {
      const { ownerReferences = [], resourceVersion } = each.object.metadata;
      const left = ownerReferences.filter((reference) => reference.uid !== uid);
      const body = { metadata: { ownerReferences: left } };
      return world.api.patch(targetOf(each.kind, each.object), body, resourceVersion);
    }),
  );
  const outcome = outcomeOfAll(written);
  return outcome.kind === 'done' ? withoutFinalizer({ kind, object }, orphan, world) : outcome;
}

async function withoutFinalizer(
  { kind, object }: Member,
  finalizer: string,
  world: World,
): Promise<Outcome> {
  const { finalizers = [], resourceVersion } = object.metadata;
  const body = { metadata: { finalizers: finalizers.filter((each) => each !== finalizer) } };
  return outcomeOf(await world.api.patch(targetOf(kind, object), body, resourceVersion));
}
