import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { type ClusterInMemory, clusterInMemory } from '../../testing/cluster-in-memory.ts';
import { type Waiting, waitingOn } from '../../testing/queue/waiting.ts';
import { definedBy, type KnownKinds, nicknamesIn } from '../known-kinds.ts';
import type { Time } from '../time.ts';

/** What happened to one object, in the order of versions. */
export type Change = {
  readonly version: number;
  readonly kind: Kind;
  readonly before: KubeObject | undefined;
  /** `undefined`: it was deleted. */
  readonly after: KubeObject | undefined;
};

/** An API server in memory: the `cluster` port that passes the contract suite, and a history for those who watch. */
export type ApiServer = {
  readonly kinds: KnownKinds;
  /** Writes without faults. */
  readonly objects: Omit<ClusterInMemory, 'compact'>;
  readonly news: Waiting;
  revision(): number;
  /** `undefined`: some of it is forgotten. */
  changesAfter(version: number): readonly Change[] | undefined;
  /** All that ever happened, whatever the server has forgotten. */
  past(): readonly Change[];
  compact(): void;
  all(): readonly KubeObject[];
};

const revisions: Kind = {
  group: 'world.gatehouse',
  version: 'v1',
  kind: 'Revision',
  resource: 'revisions',
  namespaced: false,
};

export function apiServer(kinds: KnownKinds, time: Time): ApiServer {
  const store = clusterInMemory();
  const news = waitingOn(time.after);
  const past = { changes: [] as Change[], revision: 0, compacted: 0 };

  /** Deletions have a version too, which a store of objects does not give: something else takes it. */
  const nextVersion = (): number => {
    const metadata = { name: 'next' };
    void store.create(revisions, { apiVersion: 'v1', kind: revisions.kind, metadata });
    const version = Number(store.objects(revisions)[0]?.metadata.resourceVersion);
    void store.delete({ kind: revisions, name: 'next' });
    return version;
  };
  const note = (kind: Kind, was: readonly KubeObject[]) => {
    const changes = changesBetween(kind, was, store.objects(kind));
    for (const change of changes) {
      const version = change.after === undefined ? nextVersion() : versionOf(change.after);
      past.changes.push(stamped(change, version));
      past.revision = version;
      follow(kinds, change);
    }
    if (changes.length > 0) news.wake();
  };
  return {
    kinds,
    objects: { ...noting(store, note), objects: store.objects },
    news,
    revision: () => past.revision,
    changesAfter: (version) =>
      version < past.compacted
        ? undefined
        : past.changes.filter((change) => change.version > version),
    past: () => past.changes,
    compact() {
      past.compacted = past.revision;
      store.compact();
    },
    all: () => kinds.all().flatMap((kind) => store.objects(kind)),
  };
}

type Note = (kind: Kind, was: readonly KubeObject[]) => void;

/** A write of this store is done when its call returns, and only its answer is a promise. */
function noting(store: ClusterInMemory, note: Note): Cluster {
  const noted = <T>(kind: Kind, write: () => T): T => {
    const was = store.objects(kind);
    const answer = write();
    note(kind, was);
    return answer;
  };
  return {
    find: store.find,
    list: store.list,
    create: (kind, ...given) => noted(kind, () => store.create(kind, ...given)),
    replace: (at, ...given) => noted(at.kind, () => store.replace(at, ...given)),
    patch: (at, ...given) => noted(at.kind, () => store.patch(at, ...given)),
    apply: (at, ...given) => noted(at.kind, () => store.apply(at, ...given)),
    evict: (at, ...given) => noted(at.kind, () => store.evict(at, ...given)),
    delete: (at, ...given) => noted(at.kind, () => store.delete(at, ...given)),
  };
}

type Unstamped = Omit<Change, 'version'>;

function changesBetween(
  kind: Kind,
  was: readonly KubeObject[],
  is: readonly KubeObject[],
): readonly Unstamped[] {
  const before = new Map(was.map((object) => [object.metadata.uid, object]));
  const now = new Set(is.map(({ metadata }) => metadata.uid));
  const gone = was.filter(({ metadata }) => !now.has(metadata.uid));
  const written = is.filter(
    ({ metadata }) =>
      before.get(metadata.uid)?.metadata.resourceVersion !== metadata.resourceVersion,
  );
  return [
    ...gone.map((object) => ({ kind, before: object, after: undefined })),
    ...written.map((after) => ({ kind, before: before.get(after.metadata.uid), after })),
  ];
}

/** Who is told of a deletion is told the version of the deletion. */
function stamped({ kind, before, after }: Unstamped, version: number): Change {
  if (after !== undefined || before === undefined) return { version, kind, before, after };
  const metadata = { ...before.metadata, resourceVersion: String(version) };
  return { version, kind, before: { ...before, metadata }, after };
}

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}

function follow(kinds: KnownKinds, { before, after }: Unstamped): void {
  const was = before && definedBy(before);
  const is = after && definedBy(after);
  if (was !== undefined && is === undefined) kinds.remove(was);
  if (after !== undefined && is !== undefined) kinds.add(is, nicknamesIn(after));
}
