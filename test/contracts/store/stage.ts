import { createHash } from 'node:crypto';
import type { Store, Transaction } from '#events/forwarder/ports.ts';
import type { Outgoing } from '#events/queue.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row, Term } from '#shared/domain/mirrored.ts';

/** A database of one's own, and what the contract has to do beside the port. */
export type StoreStage = {
  /** Of another cluster where one is named. */
  open(cluster?: string): Store;
  /** Lets the lease of a scope run out. */
  lapse(scope: string): Promise<void>;
  /** Sets the clock of the database back by an hour, as far as the lease of a scope is seen by it. */
  setClockBack(scope: string): Promise<void>;
  /** Nobody follows the scope any more. */
  retire(scope: string): Promise<void>;
  /** The bodies of the messages that are on the queue. */
  sent(): Promise<readonly string[]>;
};

export const leaseMs = 60_000;

export async function termOf(store: Store, scope: string, holder = 'one'): Promise<Term> {
  const claimed = await store.claim(scope, holder, leaseMs);
  if (claimed === undefined) throw new Error(`somebody has ${scope}`);
  return claimed.term;
}

/** Commits, or fails the test. */
export async function committed<T>(
  store: Store,
  term: Term,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const done = await store.transact(term, work);
  if (done.kind === 'fenced') throw new Error('the term is over');
  return done.value;
}

type Stated = Partial<Omit<Row, 'object'>> & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly object?: Partial<KubeObject>;
};

export function rowOf(uid: string, stated: Stated = {}): Row {
  const { labels = {}, object, ...rest } = stated;
  const place = { namespace: 'default', name: `name-of-${uid}`, ...rest };
  const { namespace, name, resourceVersion = '1' } = place;
  const metadata = { name, namespace, uid, resourceVersion, labels };
  return {
    uid,
    resourceVersion,
    epoch: 1,
    isDeleted: false,
    generation: 1,
    keys: [],
    ...place,
    object: { apiVersion: 'v1', kind: 'Pod', metadata, ...object },
  };
}

export function message(body: string): Outgoing {
  return { function: 'look', group: 'g', type: 'object.changed.v1', body, eventId: body };
}

export function uidsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({ uid }) => uid).toSorted();
}

/** For whoever compares: of some, the object is a getter's. */
function wholeRow(row: Row): Row {
  const { read: _, ...state } = row as Row & { readonly read?: unknown };
  return { ...state, object: row.object };
}

export async function findUids(
  store: Store,
  term: Term,
  uids: readonly string[],
): Promise<readonly Row[]> {
  const found = await committed(store, term, ({ find }) => find({ uids, names: [] }));
  return found.map(wholeRow).toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
}

/** 10,240 letters that no compression makes shorter. */
export const longText = Array.from({ length: 80 }, (_, place) =>
  createHash('sha512').update(`${place}`).digest('hex'),
).join('');
