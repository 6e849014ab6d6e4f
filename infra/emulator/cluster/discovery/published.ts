import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { ServedKind, ServedSubresource } from '../served-kinds.ts';

/** The kinds of a discovery document, in its order; one that is served in several versions is one kind. */
export function kindsIn(document: JsonObject): readonly ServedKind[] {
  return objectsIn(document['items']).flatMap((group) => {
    const name = textAt(objectAt(group, 'metadata'), 'name');
    const versions = objectsIn(group['versions']);
    const found = new Map<string, ServedKind>();
    for (const version of versions) {
      for (const resource of objectsIn(version['resources'])) {
        const kind = kindOf(resource, { group: name, version: textAt(version, 'version') });
        found.set(kind.resource, joined(found.get(kind.resource), kind));
      }
    }
    return [...found.values()];
  });
}

function joined(known: ServedKind | undefined, kind: ServedKind): ServedKind {
  return known === undefined ? kind : { ...known, versions: [...known.versions, ...kind.versions] };
}

type Place = { readonly group: string; readonly version: string };

function kindOf(resource: JsonObject, { group, version }: Place): ServedKind {
  return {
    ...{ group, versions: [version], isCustom: false },
    resource: textAt(resource, 'resource'),
    kind: textAt(objectAt(resource, 'responseKind'), 'kind'),
    namespaced: resource['scope'] === 'Namespaced',
    names: {
      singular: textAt(resource, 'singularResource'),
      short: textsIn(resource['shortNames']),
      categories: textsIn(resource['categories']),
    },
    verbs: textsIn(resource['verbs']),
    subresources: objectsIn(resource['subresources']).map(subresourceOf),
  };
}

function subresourceOf(stated: JsonObject): ServedSubresource {
  const { kind, group, version } = objectAt(stated, 'responseKind');
  return {
    name: textAt(stated, 'subresource'),
    kind: typeof kind === 'string' ? kind : '',
    ...(typeof group === 'string' && group !== '' && { group }),
    ...(typeof version === 'string' && version !== '' && { version }),
    verbs: textsIn(stated['verbs']),
  };
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isJsonObject) : [];
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(String) : [];
}
