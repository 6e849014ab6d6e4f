import { isJsonObject } from '#shared/domain/json.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Refused, Scope } from '#shared/domain/watched.ts';
import { objectPath } from '../address.ts';
import { type Answer, objectFrom, refusal } from '../answer.ts';
import type { Ask } from '../ask.ts';
import { isTooLarge } from '../exchange.ts';
import { partial, wordsOf } from './collection.ts';
import { metadataOrWhole, orThrow, questionFor, withKind } from './list.ts';

type Version = { readonly kind: 'version'; readonly resourceVersion: string };

/** Selected by no label: with one that nobody has, the server would look through all objects to fill the page. */
export function version(ask: Ask) {
  return async (scope: Scope, signal: AbortSignal): Promise<Version | Refused> => {
    const what = wordsOf('read the version of', scope);
    const answer = await metadataOrWhole({ ...scope, labels: undefined }, (of) =>
      ask({ ...questionFor(of, { limit: 1, signal }), what }),
    );
    if (answer.status !== 200) return orThrow(what, answer);
    return { kind: 'version', resourceVersion: versionIn(what, answer) };
  };
}

function versionIn(what: string, answer: Answer): string {
  const { resourceVersion } = objectFrom(what, answer).metadata;
  if (resourceVersion === undefined) throw new Error(`cannot ${what}: the list has none`);
  return resourceVersion;
}

type Found =
  | { readonly kind: 'found'; readonly object: KubeObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'oversized' };
type At = { readonly namespace: string; readonly name: string };

export function findOne(ask: Ask, versionOf = version(ask)) {
  /** A server of somebody's own may not say of whom its 404 is: where it has the collection, the object is what it lacks. */
  const isNobody = async (answer: Answer, { scope, at, signal }: Looked): Promise<boolean> => {
    if (answer.status !== 404) return false;
    if (isAbout(at.name, answer)) return true;
    return isStatus(answer) && (await versionOf(scope, signal)).kind === 'version';
  };
  return async (scope: Scope, at: At, signal: AbortSignal): Promise<Found | Refused> => {
    const what = `${wordsOf('get', scope)} ${at.namespace}/${at.name}`;
    const answer = await ask({ what, signal, ...questionAbout(at, scope) }).catch(whereTooLarge);
    if (answer === undefined) return { kind: 'oversized' };
    if (await isNobody(answer, { scope, at, signal })) return { kind: 'none' };
    if (answer.status !== 200) return orThrow(what, answer);
    return { kind: 'found', object: statedObject(what, answer, scope) };
  };
}

type Looked = { readonly scope: Scope; readonly at: At; readonly signal: AbortSignal };

/** Where it was seen says whether it has a namespace: a definition may be older than the kind that is served. */
function questionAbout({ namespace, name }: At, { kind: defined, metadataOnly }: Scope) {
  const kind = { ...defined, namespaced: namespace !== '' };
  return {
    method: 'GET' as const,
    path: objectPath({ kind, namespace, name }),
    ...(metadataOnly === true ? { accept: partial.one } : {}),
  };
}

function whereTooLarge(cause: unknown): undefined {
  if (!isTooLarge(cause)) throw cause;
}

/** The API server's own word. What a proxy on the way knows no page of says nothing of an object. */
function isStatus({ body, reasons }: Answer): boolean {
  return isJsonObject(body) && body['kind'] === 'Status' && reasons.includes('NotFound');
}

/** Where the kind itself is not served, the answer names no object. */
function isAbout(name: string, { body }: Answer): boolean {
  const details = isJsonObject(body) ? body['details'] : undefined;
  return isJsonObject(details) && details['name'] === name;
}

function statedObject(what: string, answer: Answer, scope: Scope): KubeObject {
  const object = objectFrom(what, answer);
  return withKind(object, scope) ?? object;
}

export function identity(ask: Ask) {
  return async (signal: AbortSignal): Promise<string> => {
    const what = 'identify the cluster by kube-system';
    const path = objectPath({ kind: namespaces, name: 'kube-system' });
    const answer = await ask({ what, method: 'GET', path, accept: partial.one, signal });
    if (answer.status !== 200) throw refusal(what, answer);
    const { uid } = objectFrom(what, answer).metadata;
    if (uid === undefined || uid === '') throw new Error(`cannot ${what}: it has no uid`);
    return uid;
  };
}
