import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { byPriority } from '../discovery/discovery.ts';
import { customKinds, idOf, type ServedKind, type ServedSubresource } from '../served-kinds.ts';
import type { Collection } from './collection.ts';
import type { Store } from './store.ts';
import { parsedBody, type Stored } from './stored.ts';

/** Serves what CustomResourceDefinitions say, from the moment of their write, or when they are ready for it. */
export function serveCustomKinds(
  store: Store,
  isReady: (definition: Stored) => boolean = () => true,
): void {
  store.onCommit((of, { type, now }) => {
    const kind = idOf(of.kind) === idOf(customKinds) ? kindFrom(now) : undefined;
    if (kind === undefined) return;
    if (type === 'DELETED') withdraw(store, kind);
    else if (isReady(now)) serveOrWithhold(store, kind);
  });
}

/** For a definition that was there before. */
export function serveCustomKind(store: Store, definition: Stored): void {
  const kind = kindFrom(definition);
  if (kind !== undefined) serveOrWithhold(store, kind);
}

type Defined = ServedKind & { readonly isServed: boolean };

/** Of one none of whose versions is served the objects are kept. */
function serveOrWithhold(store: Store, { isServed, ...kind }: Defined): void {
  if (isServed) {
    serve(store, kind);
    return;
  }
  const known = store.collections.get(idOf(kind));
  store.withhold(kind);
  if (known !== undefined) endAll(known);
}

/** Whoever watches must come again: the storage behind it is another one. */
function serve(store: Store, kind: ServedKind): void {
  const known = store.collections.get(idOf(kind));
  if (known === undefined) {
    store.serve(kind);
    return;
  }
  if (isDeepStrictEqual(known.kind, kind)) return;
  known.kind = kind;
  endAll(known);
}

/** Its objects go first, each with an event. */
function withdraw(store: Store, kind: ServedKind): void {
  const known = store.find(idOf(kind));
  if (known === undefined) return;
  for (const stored of known.at(store.revision()) ?? []) store.delete(known, stored);
  store.drop(kind);
  // After those events have gone out.
  setImmediate(() => setImmediate(endAll, known));
}

function endAll(of: Collection): void {
  for (const follower of of.followers()) follower.end('closed');
}

function kindFrom(stored: Stored): Defined | undefined {
  const { spec } = parsedBody(stored);
  if (!isJsonObject(spec) || !isJsonObject(spec['names'])) return undefined;
  const { plural, kind, singular, shortNames, categories } = spec['names'];
  const storedVersion = storedOf(spec['versions']);
  const served = servedVersions(spec['versions']);
  const [first = storedVersion, ...others] = served;
  if (first === undefined) return undefined;
  return {
    isServed: served.length > 0,
    group: String(spec['group']),
    resource: String(plural),
    kind: String(kind),
    namespaced: spec['scope'] === 'Namespaced',
    versions: [first, ...others],
    isCustom: true,
    // In this order, unlike those of the built-in kinds.
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    names: {
      singular:
        typeof singular === 'string' && singular !== '' ? singular : String(kind).toLowerCase(),
      short: textsIn(shortNames),
      categories: textsIn(categories),
    },
    subresources: subresourcesOf(spec['versions'], String(kind)),
    ...(storedVersion !== undefined && { storedVersion }),
    selectableFields: selectableIn(spec['versions']),
  };
}

function servedVersions(versions: Json | undefined): readonly string[] {
  return (isList(versions) ? versions : [])
    .filter((each): each is JsonObject => isJsonObject(each) && each['served'] === true)
    .map(({ name }) => String(name))
    .sort(byPriority);
}

function versionsIn(versions: Json | undefined): readonly JsonObject[] {
  return isList(versions) ? versions.filter(isJsonObject) : [];
}

function storedOf(versions: Json | undefined): string | undefined {
  const name = versionsIn(versions).find(({ storage }) => storage === true)?.['name'];
  return typeof name === 'string' ? name : undefined;
}

const partVerbs = ['get', 'patch', 'update'];

function subresourcesOf(versions: Json | undefined, kind: string): readonly ServedSubresource[] {
  const stated = versionsIn(versions)
    .map(({ subresources }) => subresources)
    .filter(isJsonObject);
  const has = (name: string) => stated.some((each) => each[name] !== undefined);
  const scale = {
    name: 'scale',
    kind: 'Scale',
    group: 'autoscaling',
    version: 'v1',
    verbs: partVerbs,
  };
  return [
    ...(has('status') ? [{ name: 'status', kind, verbs: partVerbs }] : []),
    ...(has('scale') ? [scale] : []),
  ];
}

/** `.spec.color` is asked for as `spec.color`. */
function selectableIn(versions: Json | undefined): readonly string[] {
  const stated = versionsIn(versions).flatMap(({ selectableFields: fields }) =>
    isList(fields ?? null) ? (fields as readonly Json[]) : [],
  );
  const paths = stated.filter(isJsonObject).map(({ jsonPath }) => String(jsonPath));
  return [...new Set(paths.map((path) => path.replace(/^\./, '')))];
}

function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(String) : [];
}
