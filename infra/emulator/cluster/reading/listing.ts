import { isJsonObject, jsonIn } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { ahead, badRequest, type Refusal, tooOld } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import type { Collection } from '../store/collection.ts';
import type { Stored } from '../store/stored.ts';
import { type Columns, tableHead } from '../tables/table.ts';
import type { ListOptions } from './options.ts';
import type { Selects } from './selecting.ts';
import { itemText, metaApi, type View } from './view.ts';

export type List = {
  readonly of: Collection;
  readonly namespace: string | undefined;
  readonly selects: Selects;
  readonly isNarrowed: boolean;
  readonly options: ListOptions;
  readonly revision: number;
};

export type Page = {
  readonly objects: readonly Stored[];
  /** Of the list: its version, and where it goes on. */
  readonly metadata: { readonly continue?: string };
};

/** True for the version that the first page was of, however much is written meanwhile. */
export function pageOf(list: List): Page | Refusal {
  const start = startOf(list);
  if ('code' in start) return start;
  const all = list.of.at(start.version);
  if (all === undefined) return list.options.continue === undefined ? lost : expired(start, list);

  const { past } = list.options;
  const limit = past.kind === 'any' && !isUncached(list) ? 0 : list.options.limit;
  const { objects, left } = cut({ all: within(all, list), from: start.key, limit }, list.selects);
  const metadata = { resourceVersion: String(start.version) };
  const last = objects.at(-1);
  if (left === 0 || last === undefined) {
    return { objects, metadata: { ...lastPage(list), ...metadata } };
  }
  const token = tokenOf({ version: start.version, key: `${last.key}\0` });
  const remaining = list.isNarrowed ? {} : { remainingItemCount: left };
  return { objects, metadata: { ...metadata, continue: token, ...remaining } };
}

/** Too many to be kept in memory: of them the real server's store itself is asked, which takes a limit at its word. */
function isUncached({ of: { kind } }: List): boolean {
  return kind.resource === 'events' && !kind.isCustom;
}

function within(all: readonly Stored[], { namespace }: List): readonly Stored[] {
  return namespace === undefined ? all : all.filter((stored) => stored.namespace === namespace);
}

/** Go's free-form lists have it always. */
function lastPage({ of }: List): Page['metadata'] {
  return of.kind.isCustom ? { continue: '' } : {};
}

const lost: Refusal = {
  code: 410,
  body: tooOld('The resourceVersion for the provided list is too old.'),
};

/** With a token by which one can go on, if not consistently. */
function expired({ key }: Start, { revision }: List): Refusal {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  const metadata = { continue: tokenOf({ version: -revision, key }) };
  return { code: 410, body: { ...tooOld(message), metadata } };
}

type Start = { readonly version: number; readonly key: string };

function startOf({ options, revision }: List): Start | Refusal {
  const { past, continue: token } = options;
  if (token !== undefined) {
    const start = tokenIn(token, revision);
    const isStated = past.kind === 'exact' || past.kind === 'not-older';
    return isStated && !('code' in start)
      ? badRequest('specifying resource version is not allowed when using continue')
      : start;
  }
  if (past.kind === 'latest' || past.kind === 'any') return { version: revision, key: '' };
  if (past.version > revision) return ahead(past.version, revision);
  return { version: past.kind === 'exact' ? past.version : revision, key: '' };
}

function tokenIn(token: string, revision: number): Start | Refusal {
  const text = Buffer.from(token, 'base64url').toString();
  const read = readToken(text);
  if (read === undefined) {
    return badRequest(`invalid continue token: continue key is not valid: ${unread(token, text)}`);
  }
  return { version: read.version < 0 ? revision : read.version, key: read.key };
}

/** As Go says it; four letters are three bytes, and one alone is none. */
function unread(token: string, text: string): string {
  const at = token.search(/[^A-Za-z0-9_-]/);
  const isCut = token.length % 4 === 1;
  if (at >= 0 || isCut) {
    return `illegal base64 data at input byte ${at >= 0 ? at : token.length - 1}`;
  }
  return jsonIn(text) !== undefined
    ? 'server does not recognize this encoded version '
    : `invalid character '${text[0] ?? ''}' looking for beginning of value`;
}

function readToken(text: string): Start | undefined {
  const token = jsonIn(text);
  if (!isJsonObject(token)) return undefined;
  const { rv, start } = token;
  return typeof rv === 'number' && typeof start === 'string'
    ? { version: rv, key: start }
    : undefined;
}

function tokenOf({ version, key }: Start): string {
  const token = { v: 'meta.k8s.io/v1', rv: version, start: key };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

type Range = { readonly all: readonly Stored[]; readonly from: string; readonly limit: number };

/** A page that is full goes on where anything is left, whether it will be selected or not. */
function cut({ all, from, limit }: Range, selects: Selects) {
  const objects: Stored[] = [];
  const first = from === '' ? 0 : firstFrom(all, from);
  for (let at = first; at < all.length; at += 1) {
    const stored = all[at];
    if (stored === undefined || !selects(stored)) continue;
    objects.push(stored);
    if (objects.length === limit) return { objects, left: all.length - at - 1 };
  }
  return { objects, left: 0 };
}

function firstFrom(all: readonly Stored[], key: string): number {
  const at = all.findIndex((stored) => stored.key >= key);
  return at < 0 ? all.length : at;
}

/** In pieces: a list of 50,000 objects would not fit into one text. */
export function* textOfPage(
  { objects, metadata }: Page,
  kind: ServedKind,
  view: View,
): Generator<string> {
  const { shape } = view;
  const nothing = objects.length === 0 ? textOfNone(metadata, kind, view) : undefined;
  if (nothing !== undefined) {
    yield nothing;
    return;
  }
  yield shape.kind === 'table'
    ? `${tableHead(shape.columns, inShape(metadata, view), metaApi(shape.form))}[`
    : `${JSON.stringify({ ...listType(kind, view), metadata: inShape(metadata, view) }).slice(0, -1)},"items":[`;
  let piece = '';
  for (const stored of objects) {
    piece += piece === '' && stored === objects[0] ? '' : ',';
    piece += itemText(stored, kind, view);
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}

/** Go writes a list that was never begun as null. */
function textOfNone(metadata: Page['metadata'], kind: ServedKind, view: View): string | undefined {
  const { shape } = view;
  const told = inShape(metadata, view);
  if (shape.kind === 'partial') {
    return JSON.stringify({ ...listType(kind, view), metadata: told, items: null });
  }
  return shape.kind === 'table' && isPlain(shape.columns)
    ? `${tableHead(shape.columns, told, metaApi(shape.form))}null}`
    : undefined;
}

/** Kinds without columns of their own are written by another table maker. */
function isPlain(columns: Columns): boolean {
  return columns.some(({ name }) => name === 'Created At');
}

/** Only a free-form list says that it does not go on. */
function inShape(metadata: Page['metadata'], { shape }: View): object {
  const { continue: token, ...others } = metadata;
  return shape.kind === 'whole' || token !== '' ? metadata : others;
}

const pieceLength = 256 * 1024;

function listType(kind: ServedKind, { shape, version }: View) {
  if (shape.kind === 'partial') {
    return { kind: 'PartialObjectMetadataList', apiVersion: metaApi(shape.form) };
  }
  return { kind: `${kind.kind}List`, apiVersion: apiVersion({ group: kind.group, version }) };
}
