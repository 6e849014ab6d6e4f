import type { JsonObject } from '#shared/domain/json.ts';
import type { Acting, ObjectName, User } from '../parts.ts';
import { deleteOptionsOf } from '../pipeline/delete-options.ts';
import { remove } from '../pipeline/deleting.ts';
import { metadataOf } from '../pipeline/metadata.ts';
import { isLeaving } from '../pipeline/updating.ts';
import { conflict, isRefusal, notFound, type Refusal } from '../refusal.ts';
import { storedVersionOf } from '../served-kinds.ts';
import type { Store } from '../store/store.ts';
import { keyOf, objectOf, type Stored } from '../store/stored.ts';
import { readingOf } from './reading.ts';
import type { World } from './world.ts';
import { success } from './writes.ts';

type By = { readonly user: User; readonly dryRun: boolean };

/** What an action does beside its own object. */
export function actingOf(world: World, { user, dryRun }: By): Acting {
  const { store, parts, now } = world;
  return {
    ...readingOf(store),
    ...{ user, dryRun, now: now() },
    issueToken: parts.issueToken,
    update: (kind, next) => updated(store, kind, { next, dryRun }),
    remove: (kind, at, options) => removed(world, { kind, at, options }, { user, dryRun }),
  };
}

type Updating = { readonly next: JsonObject; readonly dryRun: boolean };

function updated(store: Store, kind: string, { next, dryRun }: Updating): JsonObject | Refusal {
  const of = store.collections.get(kind);
  const { namespace, name, resourceVersion } = metadataOf(next);
  const named = { resource: kind, group: '', name: String(name) };
  const key = keyOf(typeof namespace === 'string' ? namespace : undefined, String(name));
  const before = of?.find(key);
  if (of === undefined || before === undefined) return notFound(named);
  if (resourceVersion !== undefined && resourceVersion !== String(before.version)) {
    return conflict('Conflict', { ...of.kind, name: String(name) });
  }
  if (dryRun) return next;
  const stored: Stored = isLeaving(next)
    ? store.delete(of, before)
    : store.update(of, before, next);
  return objectOf(stored, of.kind, storedVersionOf(of.kind));
}

type Removing = { readonly kind: string; readonly at: ObjectName; readonly options: JsonObject };

async function removed(
  { store, parts, now }: World,
  { kind, at, options }: Removing,
  by: By,
): Promise<JsonObject | Refusal> {
  const of = store.collections.get(kind);
  if (of === undefined) return notFound({ resource: kind, group: '', name: at.name });
  const how = deleteOptionsOf(options, new URLSearchParams());
  if (isRefusal(how)) return how;
  const version = storedVersionOf(of.kind);
  const gone = await remove({
    ...{ store, parts, of, version, subresource: undefined, user: by.user, now: now() },
    ...{ namespace: at.namespace, name: at.name, rules: parts.rulesOf(of.kind, version) },
    how: { ...how, dryRun: how.dryRun || by.dryRun },
    // It is asked for as it is kept.
    conversion: undefined,
  });
  if (isRefusal(gone)) return gone;
  return gone.isGone ? success(gone, { of }) : objectOf(gone.stored, of.kind, version);
}
