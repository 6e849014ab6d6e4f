import { scoped } from '#shared/adapters/cluster/address.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, PatchBody, Target, Write, WriteOptions } from '#shared/ports.ts';
import { disruption } from './cluster/disruption.ts';
import { applied, type FieldOwners, updated } from './cluster/field-owners.ts';
import { patched } from './cluster/json-patching.ts';
import { merged } from './cluster/merge.ts';
import { paged } from './cluster/paging.ts';
import { selected } from './cluster/selecting.ts';
import { memoryStore, type Store } from './cluster/store.ts';
import { type Changed, create, remove, write } from './cluster/writing.ts';

export type ClusterInMemory = Cluster & {
  /** What is there now, of every version of the kind. */
  objects(kind: Pick<Kind, 'group' | 'kind'>): readonly KubeObject[];
  /** Lists that are half read lose their place, as when etcd is compacted. */
  compact(): void;
};

/**
 * The `cluster` port over memory: versions, uids, generations, preconditions, field owners, selectors, pages, dry run
 * and disruption budgets as the real server has them (one contract suite runs on both). It knows no schema: it
 * validates and defaults nothing, asks for no namespace to exist, and converts between no versions.
 */
export function clusterInMemory(...objects: readonly KubeObject[]): ClusterInMemory {
  const store = memoryStore();
  let compactions = 0;
  for (const object of objects) {
    const { uid } = object.metadata;
    create(store, kindOf(object), { object, options: {}, owners: byUpdate, uid });
  }

  return {
    find: async (target) => store.find(scoped(target))?.object,
    list: (kind, options = {}) =>
      paged(selected(store.list(kind), options), {
        size: options.pageSize ?? 500,
        compactions: () => compactions,
      }),
    create: async (kind, object, options = {}) => {
      scoped({ kind, namespace: object.metadata.namespace, name: object.metadata.name ?? '' });
      return create(store, kind, { object, options, owners: byUpdate });
    },
    replace: async (target, object, options = {}) =>
      write(store, { target: scoped(target), options: versioned(object, options) }, () => ({
        kind: 'changed',
        body: object,
      })),
    patch: async (target, body, options = {}) =>
      write(store, { target: scoped(target), options }, ({ object }) => patchedBy(object, body)),
    apply: async (target, object, options) =>
      apply(store, { target: scoped(target), object, options }),
    evict: async (target, options = {}) => {
      const pod = store.find(scoped(target))?.object;
      const held = pod === undefined ? undefined : disruption(store, pod);
      return held ?? remove(store, { target, options });
    },
    delete: async (target, options = {}) => remove(store, { target: scoped(target), options }),
    objects: (kind) => store.list(kind),
    compact() {
      compactions += 1;
    },
  };
}

function patchedBy(object: KubeObject, body: PatchBody): Changed {
  if (body.type === 'json') return patched(object, body.operations);
  const lists = body.type === 'strategic' ? 'by-name' : 'as-a-whole';
  return { kind: 'changed', body: merged(object, body.body, lists) as KubeObject };
}

type Apply = {
  readonly target: Target;
  readonly object: KubeObject;
  readonly options: WriteOptions & { readonly fieldManager: string; readonly force?: boolean };
};

/** What is not there is made, unless somebody counts on an object that was. */
function apply(store: Store, { target, object, options }: Apply): Write {
  const { fieldManager, force = false, uid, resourceVersion } = options;
  const stated = { body: object, manager: `apply:${fieldManager}`, force };

  if (store.find(target) !== undefined) {
    return write(store, { target, options }, (live) => {
      const next = applied(live.object, live.owners, stated);
      return next.kind === 'conflict' ? next : { ...next, kind: 'changed' };
    });
  }
  if ((uid ?? resourceVersion) !== undefined) {
    return { kind: 'conflict', why: `there is no ${target.kind.resource} "${target.name}"` };
  }
  const { namespace, name } = target;
  const named = {
    ...object,
    metadata: { ...object.metadata, ...(namespace && { namespace }), name },
  };
  return create(store, target.kind, {
    object: named,
    options,
    owners: (made) => ownersOfApply(made, stated),
  });
}

function ownersOfApply(made: KubeObject, stated: Parameters<typeof applied>[2]): FieldOwners {
  const next = applied(made, new Map(), stated);
  return next.kind === 'applied' ? next.owners : new Map();
}

function byUpdate(made: KubeObject): FieldOwners {
  return updated({}, made, new Map());
}

/** The port promises that a replace is conditional; one that states no version is a bug of its caller. */
function versioned(object: KubeObject, options: WriteOptions): WriteOptions {
  const resourceVersion = options.resourceVersion ?? object.metadata.resourceVersion;
  if (resourceVersion === undefined) throw new Error('a replace needs a resourceVersion');
  return { ...options, resourceVersion };
}

function kindOf({ apiVersion, kind, metadata }: KubeObject): Kind {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const namespaced = metadata.namespace !== undefined;
  return { group, version, kind, resource: kind.toLowerCase(), namespaced };
}
