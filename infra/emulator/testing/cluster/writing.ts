import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Target, Write, WriteOptions } from '#shared/ports.ts';
import { type FieldOwners, updated } from './field-owners.ts';
import type { Store, Stored } from './store.ts';

export type Changed =
  | { readonly kind: 'changed'; readonly body: JsonObject; readonly owners?: FieldOwners }
  | { readonly kind: 'conflict'; readonly why: string };

/** One conditional write: what the server checks, keeps and counts, whatever the way it was asked. */
export function write(
  store: Store,
  { target, options }: { readonly target: Target; readonly options: WriteOptions },
  change: (live: Stored) => Changed,
): Write {
  const live = store.find(target);
  if (live === undefined) return { kind: 'not-found' };

  const next = change(live);
  if (next.kind === 'conflict') return next;
  const why = unmet(live.object, options) ?? unmet(live.object, next.body['metadata']);
  if (why !== undefined) return { kind: 'conflict', why };

  const object = settled(live.object, next.body, target.subresource);
  const owners = next.owners ?? updated(live.object, object, live.owners);
  if (isDeepStrictEqual(object, live.object)) {
    if (options.dryRun !== true) store.put(target, { object, owners });
    return { kind: 'written', object };
  }
  return kept(store, { target, options }, { object: counted(store, live.object, object), owners });
}

function kept(
  store: Store,
  { target, options }: { readonly target: Target; readonly options: WriteOptions },
  stored: Stored,
): Write {
  const written: Write = { kind: 'written', object: stored.object };
  if (options.dryRun === true) return written;
  const { deletionTimestamp, finalizers } = stored.object.metadata;
  if (deletionTimestamp !== undefined && isNone(finalizers)) store.remove(target);
  else store.put(target, stored);
  return written;
}

export function create(store: Store, kind: Kind, creation: Creation): Write {
  const { object, options, owners, uid = store.nextUid() } = creation;
  const { generateName, ...metadata } = object.metadata;
  const name = metadata.name ?? `${String(generateName ?? '')}${uid.slice(-5)}`;
  const place = { kind, namespace: metadata.namespace, name };
  if (store.find(place) !== undefined) {
    return { kind: 'conflict', why: `${kind.resource} "${name}" already exists` };
  }
  const made: KubeObject = {
    ...structuredClone(object),
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    metadata: {
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...structuredClone(metadata),
      name,
      uid,
      resourceVersion: store.nextVersion(),
      ...(hasGeneration(object) ? { generation: 1 } : {}),
    },
  };
  if (options.dryRun !== true) store.put(place, { object: made, owners: owners(made) });
  return { kind: 'written', object: made };
}

type Creation = {
  readonly object: KubeObject;
  readonly options: WriteOptions;
  readonly owners: (made: KubeObject) => FieldOwners;
  /** The server gives one, whatever a client states; what is there from the start may have a known one. */
  readonly uid?: string | undefined;
};

/** The uid or the version that somebody counts on, if it is not the object's. */
export function unmet(object: KubeObject, stated: Json | WriteOptions | undefined) {
  const { uid, resourceVersion } = (stated ?? {}) as WriteOptions;
  if (uid !== undefined && uid !== object.metadata.uid) {
    return `the uid is ${object.metadata.uid}, not ${uid}`;
  }
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
    return `the version is ${object.metadata.resourceVersion}, not ${resourceVersion}`;
  }
  return undefined;
}

export function remove(
  store: Store,
  { target, options }: { readonly target: Target; readonly options: WriteOptions },
): Write {
  const live = store.find(target);
  if (live === undefined) return { kind: 'not-found' };
  const why = unmet(live.object, options);
  if (why !== undefined) return { kind: 'conflict', why };

  const { metadata } = live.object;
  if (isNone(metadata['finalizers'])) {
    if (options.dryRun !== true) store.remove(target);
    return { kind: 'written', object: live.object };
  }
  if (metadata['deletionTimestamp'] !== undefined) return { kind: 'written', object: live.object };
  const object = {
    ...live.object,
    metadata: {
      ...metadata,
      deletionTimestamp: '2030-01-01T00:00:00Z',
      resourceVersion: store.nextVersion(),
    },
  };
  if (options.dryRun !== true) store.put(target, { object, owners: live.owners });
  return { kind: 'written', object };
}

const ownedByServer = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
] as const;

/** What a writer may not change stays as it is; `status` is written through its subresource only. */
function settled(live: KubeObject, body: JsonObject, subresource: string | undefined): KubeObject {
  if (subresource === 'status') return withKey(live, 'status', body['status']);
  const metadata = ownedByServer.reduce<JsonObject>(
    (soFar, key) => withKey(soFar, key, live.metadata[key]),
    (body['metadata'] ?? {}) as JsonObject,
  );
  const { apiVersion, kind } = live;
  return withKey({ ...body, apiVersion, kind, metadata }, 'status', live['status']) as KubeObject;
}

function withKey<T extends JsonObject>(object: T, key: string, value: Json | undefined): T {
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...others } = object;
  return others as T;
}

function counted(store: Store, before: KubeObject, after: KubeObject): KubeObject {
  const { generation } = before.metadata;
  const { metadata: _, status: __, ...was } = before;
  const { metadata: ___, status: ____, ...is } = after;
  const changed = typeof generation === 'number' && !isDeepStrictEqual(was, is);
  return {
    ...after,
    metadata: {
      ...after.metadata,
      ...(changed ? { generation: generation + 1 } : {}),
      resourceVersion: store.nextVersion(),
    },
  };
}

/** ConfigMaps, Secrets and their like have none. */
function hasGeneration(object: KubeObject): boolean {
  return 'spec' in object || 'webhooks' in object;
}

function isNone(finalizers: Json | undefined): boolean {
  return !Array.isArray(finalizers) || finalizers.length === 0;
}
