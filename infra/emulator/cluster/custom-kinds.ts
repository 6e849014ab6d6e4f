import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { customKinds, idOf, type ServedKind } from './served-kinds.ts';
import type { Store } from './store.ts';
import { parsedBody, type Stored } from './stored.ts';

/** Serves what CustomResourceDefinitions say, from the moment of their write. */
export function serveCustomKinds(store: Store): void {
  store.onCommit((of, { type, now }) => {
    const kind = idOf(of.kind) === idOf(customKinds) ? kindFrom(now) : undefined;
    if (kind === undefined) return;
    if (type === 'DELETED') withdraw(store, kind);
    else serve(store, kind);
  });
}

/** Whoever watches must come again: the storage behind it is another one. */
function serve(store: Store, kind: ServedKind): void {
  const known = store.collections.get(idOf(kind));
  if (known === undefined) {
    store.serve(kind);
    return;
  }
  known.kind = kind;
  for (const follower of known.followers()) follower.end('closed');
}

/** Its objects go first, each with an event. */
function withdraw(store: Store, kind: ServedKind): void {
  const known = store.collections.get(idOf(kind));
  if (known === undefined) return;
  for (const stored of known.at(store.revision()) ?? []) store.delete(known, stored);
  store.drop(kind);
  // After those events have gone out.
  const endAll = () => {
    for (const follower of known.followers()) follower.end('closed');
  };
  setImmediate(() => setImmediate(endAll));
}

function kindFrom(stored: Stored): ServedKind | undefined {
  const { spec } = parsedBody(stored);
  if (!isJsonObject(spec) || !isJsonObject(spec['names'])) return undefined;
  const { plural, kind } = spec['names'];
  const [first, ...others] = servedVersions(spec['versions']);
  if (first === undefined) return undefined;
  return {
    group: String(spec['group']),
    resource: String(plural),
    kind: String(kind),
    namespaced: spec['scope'] === 'Namespaced',
    versions: [first, ...others],
    isCustom: true,
  };
}

function servedVersions(versions: Json | undefined): readonly string[] {
  return (isList(versions) ? versions : [])
    .filter((each): each is JsonObject => isJsonObject(each) && each['served'] === true)
    .map(({ name }) => String(name))
    .sort(byPriority);
}

/** `v2` before `v1` before `v2beta1` before `v1alpha1`. */
function byPriority(one: string, other: string): number {
  const [a, b] = [rank(one), rank(other)];
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor;
}

function rank(version: string) {
  const [, major = '0', stage = '', minor = '0'] = /^v(\d+)(alpha|beta)?(\d*)$/.exec(version) ?? [];
  return {
    stage: ['alpha', 'beta', ''].indexOf(stage),
    major: Number(major),
    minor: Number(minor),
  };
}
