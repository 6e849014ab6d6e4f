import type { KubeObject } from '#shared/domain/kube-object.ts';
import type {
  Backfill,
  Claiming,
  Cursor,
  Row,
  RowPage,
  RowVersion,
  Term,
} from '#shared/domain/mirrored.ts';
import type {
  Listed,
  Refused,
  Scope,
  WatchEnd,
  Watching,
  WatchOptions,
} from '#shared/domain/watched.ts';
import type { Sender } from '../queue.ts';

/** The cluster, as far as the forwarder asks it. Where the server did not answer, it throws; some with its `afterSeconds`. */
export type Stream = {
  /** The most recent state: never a version, never `0`. */
  list(
    scope: Scope,
    options: {
      readonly limit: number;
      readonly continue?: string | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<Listed>;
  watch(
    scope: Scope,
    options: WatchOptions,
  ): Promise<Watching | Exclude<WatchEnd, { kind: 'closed' | 'idle' }>>;
  /** The collection's version now, by a list of one object's metadata. */
  version(
    scope: Scope,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'version'; readonly resourceVersion: string } | Refused>;
  /** One object by name, live; of what is watched as metadata, only that. */
  find(
    scope: Scope,
    at: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'found'; readonly object: KubeObject }
    | { readonly kind: 'none' }
    /** It is there, and too large to be read. */
    | { readonly kind: 'oversized' }
    | Refused
  >;
  /** In the version that is asked for, else in one that the server has instead; `undefined` where it serves it no more. */
  served(kind: Scope['kind'], signal: AbortSignal): Promise<Scope['kind'] | undefined>;
  /** The uid of kube-system: another one is another cluster. */
  identity(signal: AbortSignal): Promise<string>;
};

/** The database, as far as the forwarder writes it. Outages throw. */
export type Store = {
  /**
   * Begins or goes on with a term, for `leaseMs` of the database's clock; `undefined` while somebody else has it, or, in
   * turn, a scope that overlaps it. With a term the overlapping ones are retired: what they left within this scope's place is its own.
   */
  claim(
    scope: string,
    holder: string,
    leaseMs: number,
    how?: Claiming,
  ): Promise<Claimed | undefined>;
  /** `false`: it is somebody else's by now. */
  renew(term: Term, leaseMs: number): Promise<boolean>;
  /** Lets another one take over at once. */
  release(term: Term): Promise<void>;
  /**
   * All or nothing, and nothing where the term is over. In company, other scopes may share the transaction, and where it
   * fails the work may be done anew.
   */
  transact<T>(
    term: Term,
    work: (transaction: Transaction) => Promise<T>,
    how?: How,
  ): Promise<Transacted<T>>;
  /** Until no transaction in company is under way: who begins one then waits for none, and all who do share it. */
  untilCompany(): Promise<unknown>;
  /** The cluster that this database knows under our name: its kube-system uid and the epoch. */
  identity(): Promise<{ readonly uid: string; readonly epoch: number } | undefined>;
  /** `undefined` where the epoch is not the one that was expected any more; `fenced` where the term is over. */
  beginEpoch(
    term: Term,
    next: { readonly uid: string; readonly after: number },
  ): Promise<number | 'fenced' | undefined>;
  /** The database's clock, in milliseconds. */
  moment(): Promise<number>;
  /** What was woken for all that exists, by function and scope. */
  backfills(scope: string): Promise<readonly Backfill[]>;
  /** The functions of all scopes that were. */
  wokenBefore(): Promise<readonly string[]>;
};

export type How = 'alone' | 'in-company';

export type Claimed = { readonly term: Term; readonly cursor: Cursor };

export type Transacted<T> =
  | { readonly kind: 'committed'; readonly value: T }
  | { readonly kind: 'fenced' };

/** All reads and writes are of the term's scope. */
export type Transaction = Sender & {
  /**
   * Rows of these uids (tombstones too) and live rows of these names, in no order. Without their objects, which are often
   * all there is to be read, a row throws `LeftUnread` where somebody asks for its own.
   */
  find(wanted: {
    readonly uids: readonly string[];
    readonly names: readonly { readonly namespace: string; readonly name: string }[];
    readonly withoutObjects?: boolean;
  }): Promise<readonly Row[]>;
  /** Makes or replaces them, by uid. */
  write(rows: readonly Row[]): Promise<void>;
  /** Says that this list has them, unchanged. */
  mark(uids: readonly string[], generation: number): Promise<void>;
  /** Takes live rows out without a trace: they left the scope, and were not deleted. */
  forget(uids: readonly string[]): Promise<void>;
  /** Live rows that an older list had last: this scope's, and what scopes that are no more left within its place. */
  unmarked(before: { readonly generation: number; readonly max: number }): Promise<RowPage>;
  /** How many of them there are, up to so many. */
  countUnmarked(before: { readonly generation: number; readonly max: number }): Promise<number>;
  /** Live rows in the order of their uids. */
  page(page: { readonly after: string; readonly max: number }): Promise<RowPage>;
  /** The same, all that are asked for. */
  versions(page: { readonly after: string; readonly max: number }): Promise<readonly RowVersion[]>;
  /** Of these uids, tombstones too. */
  versionsOf(uids: readonly string[]): Promise<readonly RowVersion[]>;
  setCursor(cursor: Cursor): Promise<void>;
  /** The rows have all that was in the cluster at this moment of the database's clock. */
  setCaughtUp(atMs: number): Promise<void>;
  setBackfill(backfill: Backfill): Promise<void>;
};
