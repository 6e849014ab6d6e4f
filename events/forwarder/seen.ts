import { isDeeper } from '#shared/domain/depth.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, placeOf } from '#shared/domain/mirrored.ts';

/** What the cluster says of one object, by a list or a watch. What is news in it only the mirror tells. */
export type Seen =
  | { readonly kind: 'present' | 'deleted' | 'left'; readonly object: KubeObject }
  /** A look at the server found no object of this name. */
  | { readonly kind: 'nobody'; readonly namespace: string; readonly name: string }
  /** It is there, and nobody can say whose it is: what is known of it stays. */
  | { readonly kind: 'oversized'; readonly namespace: string; readonly name: string }
  | Unkept;

/** It can be read, and not be kept. Its line still says whose it is, and whether that one has ended. */
export type Unkept = {
  readonly kind: 'unkept';
  readonly isDeleted: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly why: string;
};

export type Kept = {
  readonly kind: 'present' | 'deleted';
  readonly object: KubeObject;
};

/** The one door for what was read of an object, whether by a line, a page or a GET. */
export function seenOf(object: KubeObject, kind: Kept['kind']): Kept | Unkept {
  const why = whyUnkept(object);
  return why === undefined ? { kind, object } : unkeptFor(why, object, kind);
}

export function unkeptFor(why: string, { metadata }: KubeObject, kind: Kept['kind']): Unkept {
  const { namespace, name, uid, resourceVersion = '' } = metadata;
  const whose = { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
  return { kind: 'unkept', isDeleted: kind === 'deleted', ...whose, resourceVersion, why };
}

export function isKept(seen: Kept | Unkept): seen is Kept {
  return seen.kind !== 'unkept';
}

/**
 * One key of an index holds a place beside cluster and kind, another one a uid, and Postgres takes 2,704 bytes for a
 * key; a uid stands in the ids of events and in the pages of sets as well. Only RBAC's names can be so long.
 */
export const mostBytes = { place: 1_000, uid: 500 } as const;

/** Why nobody of this place can have a row. */
export function whyNoPlace(at: {
  readonly namespace?: unknown;
  readonly name?: unknown;
  readonly uid?: unknown;
}): string | undefined {
  const { namespace = '', name = '', uid = '' } = at;
  if (!isText(namespace) || !isText(name) || !isText(uid)) return 'its name or uid is no text';
  return (
    whyNotText('name', placeOf({ namespace, name }), mostBytes.place) ??
    whyNotText('uid', uid, mostBytes.uid)
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** An aggregated API server may say anything. */
function textOf(value: unknown): string {
  return isText(value) ? value : '';
}

/** A column takes no NUL, and what it would have instead of it or of half a character may be another one's. */
function whyNotText(what: string, text: string, most: number): string | undefined {
  if (text.length > most || Buffer.byteLength(text) > most) return `its ${what} is too long`;
  if (text.includes('\0')) return `its ${what} has a NUL`;
  return text.isWellFormed() ? undefined : `its ${what} has half a character`;
}

/**
 * The API server takes objects that are 10,000 deep; the deepest one known is a CRD with a schema, at some 60. Of 2,000
 * Node compares no two, and of 5,000 it writes none: its stack ends, and with it each try of the batch, for ever.
 */
export const deepest = 500;

function whyUnkept(object: KubeObject): string | undefined {
  const why = whyNoPlace(object.metadata);
  if (why !== undefined) return why;
  return isDeeper(mirroredForm(object), deepest) ? `it is deeper than ${deepest}` : undefined;
}
