import { apiVersion, secrets } from './kind.ts';
import type { KubeObject } from './kube-object.ts';

/** A row of the mirror: what the cluster last said of one object, by its uid. */
export type Row = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** The history that its version belongs to. */
  readonly epoch: number;
  /** Without managedFields and last-applied; of what is watched as metadata, only that; of a Secret no annotation. */
  readonly object: KubeObject;
  /** A tombstone keeps the last labels and owners until nothing names it any more. */
  readonly isDeleted: boolean;
  /** The last list that had it. */
  readonly generation: number;
  /** Another scope wrote it: perhaps in another shape of the same version (metadata alone, say). */
  readonly isInherited?: boolean | undefined;
  /** What named indexes of the definitions find it by: `image-digest=sha256:…`. */
  readonly keys: readonly string[];
};

/** A row whose object is taken to pieces when somebody asks. */
export function unreadRow(state: Omit<Row, 'object'>, read: () => KubeObject): Row {
  return Object.assign(new Unread(read), state);
}

/** No getter of a literal: V8 keeps each of those in the old heap, and with it all that it can see. */
class Unread {
  readonly read: () => KubeObject;

  constructor(read: () => KubeObject) {
    this.read = read;
  }

  get object(): KubeObject {
    return this.read();
  }
}

/** Somebody asks what an object was after all, where it was left in the database. */
export class LeftUnread extends Error {}

/** What is to be known of it is its state: nobody asks what the object was. */
export function rowLeftUnread(state: Omit<Row, 'object'>): Row {
  return unreadRow(state, leftUnread);
}

export function isLeftUnread(row: Row): boolean {
  return row instanceof Unread && row.read === leftUnread;
}

function leftUnread(): never {
  throw new LeftUnread('what the object was has not been read');
}

/** The same object in another state of its row: one that nobody has taken to pieces yet stays whole. */
export function rowIn(row: Row, state: Partial<Omit<Row, 'object'>>): Row {
  return Object.assign(Object.create(Object.getPrototypeOf(row)), row, state);
}

/** Whose a row is and in which state, for whoever compares: of any number of rows, however large they are. */
export type RowVersion = Pick<
  Row,
  'uid' | 'namespace' | 'name' | 'resourceVersion' | 'epoch' | 'isDeleted'
>;

/** Some rows, cut by their bytes: a page may be short, and others come behind it. */
export type RowPage = { readonly rows: readonly Row[]; readonly isLast: boolean };

/** Where a kind's writer is. */
export type Cursor = {
  /** The history that versions belong to; a restored server begins another one. */
  readonly epoch: number;
  /** Counts the lists. */
  readonly generation: number;
  /** `listing`: a list is under way, and what it has not shown yet is unknown. */
  readonly at: 'nowhere' | 'listing' | { readonly resourceVersion: string };
};

export const nowhere: Cursor = Object.freeze({ epoch: 1, generation: 0, at: 'nowhere' });

/** The right to write one scope's rows, until another one takes it. */
export type Term = {
  readonly scope: string;
  readonly holder: string;
  /** The fencing number: each taking counts it up. */
  readonly number: number;
};

/** How a scope is claimed: whoever stands by waits for overlapping scopes to be free, whoever begins takes them. */
export type Claiming = 'in-turn' | 'before-others';

/** A function, by the fingerprint of its trigger, was woken for the existing objects up to here. */
export type Backfill = {
  readonly function: string;
  readonly fingerprint: string;
  /** The last uid of the pages so far. */
  readonly after: string;
  readonly isDone: boolean;
};

/** What living rows of a kind are told apart by, beside their uids. */
export function placeOf({ namespace, name }: Pick<Row, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether anything may stand there in the mirror, by which a change of it is seen. */
export function isMirroredPath([top, field, key]: readonly string[]): boolean {
  if (top !== 'metadata') return true;
  return field !== 'managedFields' && !(field === 'annotations' && key === lastApplied);
}

/** Without what nobody decides by, and what a Secret's bytes could come along in. */
export function mirroredForm(object: KubeObject): KubeObject {
  return isSecret(object) ? withoutAnnotations(object) : lightened(object);
}

function isSecret({ kind, apiVersion: version }: KubeObject): boolean {
  return kind === secrets.kind && version === apiVersion(secrets);
}

/** Deployers keep whole objects in them, or digests of data, under names of their own: no list of such names is complete. */
function withoutAnnotations(object: KubeObject): KubeObject {
  const { managedFields, annotations } = object.metadata;
  return managedFields === undefined && annotations === undefined
    ? object
    : annotatedBy(object, undefined);
}

/** Without what is often half of the object. */
export function lightened(object: KubeObject): KubeObject {
  const { managedFields, annotations } = object.metadata;
  if (managedFields === undefined && annotations?.[lastApplied] === undefined) return object;

  const { [lastApplied]: _, ...kept } = annotations ?? {};
  return annotatedBy(object, annotations && kept);
}

function annotatedBy(
  object: KubeObject,
  annotations: KubeObject['metadata']['annotations'],
): KubeObject {
  const { managedFields: _, annotations: __, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(annotations && { annotations }) } };
}
