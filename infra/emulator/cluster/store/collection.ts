import type { ServedKind } from '../served-kinds.ts';
import { type Change, history } from './history.ts';
import type { Stored } from './stored.ts';

/** How a watch is told that its version is too old: the real server says it by an event, others in other ways. */
export type TooOld = 'status' | 'event' | 'empty';

/** All objects of one resource, its recent changes, and who follows them. */
export type Collection = {
  /** Of a custom resource it may change. */
  kind: ServedKind;
  /** Whose objects these are, where it is only another name for them. */
  readonly storage?: Collection;
  find(key: string): Stored | undefined;
  size(): number;
  /** Makes it so, and tells the followers. */
  apply(change: Change): void;
  /** By key, as they were at that version; `undefined` where that is forgotten. */
  at(version: number): readonly Stored[] | undefined;
  readonly changes: ReturnType<typeof history>;
  follow(follower: Follower): () => void;
  followers(): readonly Follower[];
  /** Forgets what was before: an older version is too old from here on, which watches are told in this way. */
  compact(version: number, shape?: TooOld): void;
  /** Where that version is. */
  tooOld(version: number): TooOld | undefined;
  /** Another state, without a change that tells. */
  reset(objects: readonly Stored[], version: number): void;
};

export type Follower = {
  /** Something is new. */
  poke(): void;
  /** The connection ends: in good order, or cut. */
  end(how: 'closed' | 'cut'): void;
  freeze(): void;
  /** Is told nothing for so long, and then all of it. */
  hold(ms: number): void;
  /** By its name. */
  readonly user?: string;
  cutInLine(): void;
};

type Begun = { readonly kind: ServedKind; readonly version: number; readonly historySize: number };

export function collection({ kind, version, historySize }: Begun): Collection {
  const changes = history({ floor: version, size: historySize });
  const followers = new Set<Follower>();
  const snapshots = new Map<number, readonly Stored[]>();
  let objects = new Map<string, Stored>();
  let shape: TooOld = 'event';
  /** Of the objects now; to sort 50,000 for each list takes longer than to send a page. */
  let keys: readonly string[] | undefined;

  const remember = (at: number, snapshot: readonly Stored[]) => {
    snapshots.set(at, snapshot);
    const [oldest] = snapshots.keys();
    if (snapshots.size > 4 && oldest !== undefined) snapshots.delete(oldest);
    return snapshot;
  };
  return {
    kind,
    changes,
    find: (key) => objects.get(key),
    size: () => objects.size,
    apply(change) {
      if (change.type !== 'MODIFIED') keys = undefined;
      if (change.type === 'DELETED') objects.delete(change.now.key);
      else objects.set(change.now.key, change.now);
      changes.add(change);
      for (const follower of followers) follower.poke();
    },
    at(wanted) {
      if (wanted < changes.floor()) return undefined;
      const known = snapshots.get(wanted);
      if (known !== undefined) return known;
      const since = changes.since(wanted);
      if (since.length > 0) return remember(wanted, undone(objects, since));
      keys ??= [...objects.keys()].sort();
      return remember(wanted, stated(keys.map((key) => objects.get(key))));
    },
    follow(follower) {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    followers: () => [...followers],
    compact(at, as = 'event') {
      changes.forget(at);
      snapshots.clear();
      shape = as;
    },
    tooOld: (version) => (version < changes.floor() ? shape : undefined),
    reset(next, at) {
      objects = new Map(next.map((stored) => [stored.key, stored]));
      keys = undefined;
      changes.reset(at);
      snapshots.clear();
    },
  };
}

/** The first change of a key since then knows what it was before. */
function undone(now: ReadonlyMap<string, Stored>, since: readonly Change[]): readonly Stored[] {
  const then = new Map<string, Stored | undefined>(now);
  for (const {
    now: { key },
    before,
  } of since.toReversed())
    then.set(key, before);
  return stated([...then.values()]).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function stated(all: readonly (Stored | undefined)[]): readonly Stored[] {
  return all.filter((stored) => stored !== undefined);
}
