import { ownersOf } from '#shared/adapters/database/terms.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, nowhere, type Row } from '#shared/domain/mirrored.ts';
import { indexRecord, versionByIndex } from '#shared/domain/named-index.ts';
import { matchesLabels, selectorText } from '#shared/domain/selector.ts';
import { type Asked, isLater, type Scope, scopeName, scopesOfAll } from '#shared/domain/watched.ts';
import type { Mirror, MirrorOptions } from '#shared/ports.ts';
import {
  backfillKey,
  byUid,
  type MirrorShelf,
  mirrorShelf,
  rowKey,
  type StoredRow,
  type StoredWatch,
  watchKey,
} from './mirror/shelf.ts';

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
  const storedOf = (kind: Kind): readonly StoredRow[] =>
    [...shelf.rows.values()]
      .filter((stored) => stored.cluster === cluster && isOf(stored, kind))
      .toSorted(byUid);
  const versionOf = (kind: Kind, asked: Asked, found?: StoredRow) =>
    leastOf(watchesOf(shelf, { cluster, kind, asked, found }), shelf.clusters.get(cluster)?.epoch);
  const versionBy = (kind: Kind, asked: Asked, name: string) => {
    const watches = watchesOf(shelf, { cluster, kind, asked });
    const noted = watches.map((watch) => notedIn(shelf, watch, name));
    return versionByIndex(versionOf(kind, asked), { resource: kind.resource, name, noted });
  };

  return {
    ...writesTo(shelf, cluster),
    async find(kind, { namespace = '', name }) {
      const found = storedOf(kind).find(
        ({ row }) => !row.isDeleted && row.namespace === namespace && row.name === name,
      );
      const resourceVersion = versionOf(kind, { namespace, name }, found);
      return { object: found?.row.object, resourceVersion };
    },
    async findByUid(kind, uid) {
      const found = storedOf(kind).find(({ row }) => row.uid === uid);
      const resourceVersion = versionOf(kind, {}, found);
      return {
        object: found?.row.object,
        resourceVersion,
        isDeleted: found?.row.isDeleted ?? false,
      };
    },
    async list(kind, options = {}) {
      const rows = storedOf(kind).map(({ row }) => row);
      const { namespace, labels = {}, index } = options;
      const asked = { namespace, labels: selectorText(labels) };
      return {
        resourceVersion: index ? versionBy(kind, asked, index.name) : versionOf(kind, asked),
        objects: eachOf(rows.filter((row) => !row.isDeleted && isWanted(row, options))),
      };
    },
  };
}

function isOf(one: Pick<Kind, 'group' | 'resource'>, other: Kind): boolean {
  return one.group === other.group && one.resource === other.resource;
}

type Of = {
  readonly cluster: string;
  readonly kind: Kind;
  readonly asked: Asked;
  readonly found?: StoredRow | undefined;
};

/** As the adapter has it: the scopes that have all that is asked for, and the one that a found row is of. */
function watchesOf(
  shelf: MirrorShelf,
  { cluster, kind, asked, found }: Of,
): readonly StoredWatch[] {
  const whole = scopesOfAll(kind, asked);
  return [...shelf.watches.values()].filter(
    ({ scope, ...watch }) =>
      watch.cluster === cluster &&
      !watch.isRetired &&
      (whole.includes(scope) || scope === found?.scope),
  );
}

/** Whoever puts keys by hand has declared their indexes, and others may be declared as well. */
function notedIn(shelf: MirrorShelf, watch: StoredWatch, name: string): string | null {
  const noted = shelf.backfills.get(backfillKey(watch, indexRecord))?.backfill;
  if (noted !== undefined) return noted.isDone ? noted.fingerprint : null;
  const isPut = [...shelf.rows.values()].some(
    ({ scope, cluster, row }) =>
      cluster === watch.cluster &&
      scope === watch.scope &&
      row.keys.some((key) => key.startsWith(`${name}=`)),
  );
  return isPut ? name : null;
}

/** What all of them say, and nothing while one has no whole list. */
function leastOf(watches: readonly StoredWatch[], epoch: number | undefined): string {
  const versions = watches.map(({ cursor }) =>
    typeof cursor.at === 'string' || cursor.epoch !== (epoch ?? cursor.epoch)
      ? ''
      : cursor.at.resourceVersion,
  );
  if (versions.length === 0 || versions.includes('')) return '';
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
    shelf.rows.set(rowKey(place, row.uid), { ...place, row, mirroredAtMs: 0, deletedAtMs });
    shelf.watches.set(watchKey(place), {
      ...place,
      holder: undefined,
      term: 0,
      leaseUntilMs: 0,
      // Nobody is ahead of what is put by hand.
      caughtUpAtMs: Number.POSITIVE_INFINITY,
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
