import { ownersOf } from '#shared/adapters/database/terms.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, nowhere, type Row } from '#shared/domain/mirrored.ts';
import { matchesLabels, selectorText } from '#shared/domain/selector.ts';
import { type Asked, isLater, type Scope, scopeName, scopesOfAll } from '#shared/domain/watched.ts';
import type { Mirror, MirrorOptions } from '#shared/ports.ts';
import { byUid, type MirrorShelf, mirrorShelf, rowKey, watchKey } from './mirror/shelf.ts';

export type MirrorInMemory = Mirror & {
  /** As if the cluster had said so, to who follows that scope. `keys` are those of declared indexes: `by-image=sha256:…`. */
  put(kind: Kind, object: KubeObject, keys?: readonly string[], scope?: Scope): void;
  /** A tombstone stays. */
  remove(kind: Kind, uid: string): void;
};

type Options = { readonly shelf?: MirrorShelf; readonly cluster?: string };

/** Of the rows on a shelf, which a store in memory may fill as well. */
export function mirrorInMemory({
  shelf = mirrorShelf(),
  cluster = 'main',
}: Options = {}): MirrorInMemory {
  const rowsOf = (kind: Kind): readonly Row[] =>
    [...shelf.rows.values()]
      .filter((stored) => stored.cluster === cluster && isOf(stored, kind))
      .toSorted(byUid)
      .map(({ row }) => row);
  const version = (kind: Kind, asked: Asked | 'of what is there') =>
    versionOf({ shelf, cluster, kind }, asked);

  return {
    ...writesTo(shelf, cluster),
    async find(kind, { namespace = '', name }) {
      const row = rowsOf(kind).find(
        (each) => !each.isDeleted && each.namespace === namespace && each.name === name,
      );
      const asked = row === undefined ? { namespace, name } : 'of what is there';
      return { object: row?.object, resourceVersion: version(kind, asked) };
    },
    async findByUid(kind, uid) {
      const row = rowsOf(kind).find((each) => each.uid === uid);
      const isDeleted = row?.isDeleted ?? false;
      const asked = row === undefined ? {} : 'of what is there';
      return { object: row?.object, resourceVersion: version(kind, asked), isDeleted };
    },
    async list(kind, options = {}) {
      const rows = rowsOf(kind).filter((row) => !row.isDeleted && isWanted(row, options));
      const { namespace, labels = {} } = options;
      const asked = { namespace, labels: selectorText(labels) };
      return { resourceVersion: version(kind, asked), objects: eachOf(rows) };
    },
  };
}

function isOf(one: Pick<Kind, 'group' | 'resource'>, other: Kind): boolean {
  return one.group === other.group && one.resource === other.resource;
}

type Of = { readonly shelf: MirrorShelf; readonly cluster: string; readonly kind: Kind };

function versionOf({ shelf, cluster, kind }: Of, asked: Asked | 'of what is there'): string {
  const watches = [...shelf.watches.values()].filter(
    (watch) => watch.cluster === cluster && isOf(watch, kind) && !watch.isRetired,
  );
  const whole = typeof asked === 'string' ? undefined : scopesOfAll(kind, asked);
  if (!watches.some(({ scope }) => whole?.includes(scope) ?? true)) return '';
  const epoch = shelf.clusters.get(cluster)?.epoch;
  const versions = watches.map(({ cursor }) =>
    typeof cursor.at === 'string' || cursor.epoch !== (epoch ?? cursor.epoch)
      ? ''
      : cursor.at.resourceVersion,
  );
  if (versions.includes('')) return '';
  return versions.reduce((least, each) => (isLater(least, each) ? each : least));
}

function isWanted(row: Row, { namespace, labels = {}, owner, index }: MirrorOptions): boolean {
  const { metadata } = row.object;
  return (
    (namespace === undefined || row.namespace === namespace) &&
    matchesLabels(labels, metadata.labels ?? {}) &&
    (owner === undefined || ownersOf(row.object).includes(owner)) &&
    (index === undefined || row.keys.includes(`${index.name}=${index.key}`))
  );
}

async function* eachOf(rows: readonly Row[]): AsyncGenerator<KubeObject> {
  for (const { object } of rows) yield object;
}

function writesTo(shelf: MirrorShelf, cluster: string): Pick<MirrorInMemory, 'put' | 'remove'> {
  let counted = 0;
  const store = (kind: Kind, row: Row, scope = scopeName({ kind })) => {
    counted += 1;
    const place = { cluster, scope, group: kind.group, resource: kind.resource };
    const deletedAtMs = row.isDeleted ? 0 : undefined;
    shelf.rows.set(rowKey(place, row.uid), { ...place, row, deletedAtMs });
    shelf.watches.set(watchKey(place), {
      ...place,
      holder: undefined,
      term: 0,
      leaseUntilMs: 0,
      changes: counted,
      isRetired: false,
      cursor: { ...nowhere, at: { resourceVersion: String(counted) } },
    });
  };
  return {
    put: (kind, object, keys = [], scope = { kind }) =>
      store(kind, rowOf(object, keys), scopeName(scope)),
    remove(kind, uid) {
      const stored = shelf.rows.get(rowKey({ cluster, ...kind }, uid));
      if (stored !== undefined) store(kind, { ...stored.row, isDeleted: true });
    },
  };
}

function rowOf(object: KubeObject, keys: readonly string[]): Row {
  const { uid = '', namespace = '', name = '', resourceVersion = '' } = object.metadata;
  const stated = { uid, namespace, name, resourceVersion, keys, object: mirroredForm(object) };
  return { ...stated, isDeleted: false, epoch: 1, generation: 1 };
}
