import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Listed, Scope } from '#shared/domain/watched.ts';
import { type Answer, refusal } from '../answer.ts';
import type { Ask } from '../ask.ts';
import { isTooLarge } from '../exchange.ts';
import { collectionOf, partial, wordsOf } from './collection.ts';
import { refusedFrom } from './refused.ts';

export type PageOptions = {
  readonly limit: number;
  readonly continue?: string | undefined;
  readonly signal: AbortSignal;
};

/** One page of the most recent state: no version is named, never `0`, which may be any old one. */
export function listPage(ask: Ask, askMetadata: Ask = ask) {
  return async (scope: Scope, options: PageOptions): Promise<Listed> => {
    const what = wordsOf('list', scope);
    const one = (of: Scope) => askMetadata(questionFor(of, { ...options, limit: 1 }));
    const page = (limit: number) => ask(questionFor(scope, { ...options, limit }));
    const answer = await smallEnough(options.limit, page);
    if (answer === 'oversized') {
      return oversizedFrom(what, await metadataOrWhole(scope, one), scope);
    }
    if (answer.status === 200) return pageFrom(what, answer, scope);
    return orThrow(what, answer);
  };
}

export function questionFor(scope: Scope, options: PageOptions) {
  const { path, query } = collectionOf(scope);
  return {
    what: wordsOf('list', scope),
    method: 'GET' as const,
    path,
    query: { ...query, limit: String(options.limit), continue: options.continue },
    ...(scope.metadataOnly === true ? { accept: partial.many } : {}),
    signal: options.signal,
  };
}

export function orThrow(what: string, answer: Answer) {
  const refused = refusedFrom(answer);
  if (refused === undefined) throw refusal(what, answer);
  return refused;
}

/** The same place with an eighth of the objects, until they fit; or one does not. */
async function smallEnough(
  limit: number,
  page: (limit: number) => Promise<Answer>,
): Promise<Answer | 'oversized'> {
  return page(limit).catch((cause: unknown) => {
    if (!isTooLarge(cause)) throw cause;
    if (limit <= 1) return 'oversized';
    return smallEnough(Math.max(1, Math.floor(limit / 8)), page);
  });
}

/**
 * An aggregated server may know no lists of metadata: there whole objects are asked for, of which nothing else is kept; but
 * never of what is watched without.
 */
export async function metadataOrWhole(
  scope: Scope,
  ask: (scope: Scope) => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask(metadataOf(scope));
  const isUnknown = answer.status !== 200 && refusedFrom(answer)?.kind === 'unsupported';
  return isUnknown && scope.metadataOnly !== true ? ask(scope) : answer;
}

function metadataOf(scope: Scope): Scope {
  return { ...scope, metadataOnly: true };
}

/**
 * Whose page it would be, which are all of them where the server takes no limit: the list goes on behind them. Where their
 * metadata is all that was asked for, this is the page.
 */
function oversizedFrom(what: string, answer: Answer, scope: Scope): Listed {
  if (answer.status !== 200) return orThrow(what, answer);
  const page = pageFrom(what, answer, metadataOf(scope));
  if (page.kind !== 'page' || scope.metadataOnly === true) return page;
  return { ...page, objects: [], oversized: page.objects.map(whose) };
}

const whoseKeys: ReadonlySet<string> = new Set(['namespace', 'name', 'uid', 'resourceVersion']);

/** The rest of thousands would be held until the last one of them has been read by itself. */
function whose({ metadata, ...says }: KubeObject): KubeObject {
  const kept = Object.entries(metadata).filter(([key]) => whoseKeys.has(key));
  return { ...says, metadata: Object.fromEntries(kept) };
}

function pageFrom(what: string, { body, bytes }: Answer, scope: Scope): Listed {
  const list = isJsonObject(body) ? body : {};
  const metadata = isJsonObject(list['metadata']) ? list['metadata'] : {};
  const { resourceVersion, continue: next } = metadata;
  if (!String(list['kind']).endsWith('List') || typeof resourceVersion !== 'string') {
    throw new Error(`cannot ${what}: the answer is no list`);
  }
  return {
    kind: 'page',
    objects: itemsOf(list['items']).map((item) => stated(what, item, scope)),
    resourceVersion,
    continue: typeof next === 'string' && next !== '' ? next : undefined,
    bytes,
  };
}

/** Go writes null where a list of metadata is empty. */
function itemsOf(items: Json | undefined): readonly Json[] {
  return Array.isArray(items) ? items : [];
}

function stated(what: string, item: Json, scope: Scope): KubeObject {
  const object = isJsonObject(item) ? withKind(item, scope) : undefined;
  if (object === undefined) throw new Error(`cannot ${what}: an item is no object of the API`);
  return object;
}

/**
 * Items of a list do not say what they are, and partial ones say that they are partial. We asked, so we know. A server of
 * somebody's own may send the whole of what was asked for as metadata: the rest goes no further.
 */
export function withKind(
  object: JsonObject,
  { kind, metadataOnly }: Pick<Scope, 'kind' | 'metadataOnly'>,
): KubeObject | undefined {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return undefined;
  const shown: JsonObject = metadataOnly === true ? { metadata } : object;
  const says = { apiVersion: apiVersion(kind), kind: kind.kind };
  // A watch's objects do, and are not copied.
  const isSaid = shown['apiVersion'] === says.apiVersion && shown['kind'] === says.kind;
  return (isSaid ? shown : { ...shown, ...says }) as KubeObject;
}
