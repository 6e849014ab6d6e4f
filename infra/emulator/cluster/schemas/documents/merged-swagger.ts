import { type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { inside } from '../../access/stated.ts';
import { objectAt, objectsAt } from '../../custom/definition.ts';
import { referencesIn, referringTo } from './references.ts';

export type Remote = {
  readonly group: string;
  readonly version: string;
  readonly body: JsonObject;
};

/**
 * OpenAPI v2 with the paths that another server has of its version of a group. What both have under one name is there
 * once where it is the same, else the other's has a number; a path stays with whom it was first.
 */
export function mergedSwagger(own: JsonObject, { group, version, body }: Remote): JsonObject {
  const below = `/apis/${group}/${version}/`;
  const paths = objectAt(own, 'paths');
  const part = partOf(body, (path) => path.startsWith(below) && !Object.hasOwn(paths, path));
  if (Object.keys(objectAt(part, 'paths')).length === 0) return own;
  const renamed = renamedIn(part, own);
  return {
    ...own,
    paths: { ...paths, ...objectAt(renamed, 'paths') },
    definitions: joined(objectAt(own, 'definitions'), objectAt(renamed, 'definitions')),
    parameters: joined(objectAt(own, 'parameters'), objectAt(renamed, 'parameters')),
  };
}

/** Definitions that only the other paths have used go with them. */
function partOf(swagger: JsonObject, isKept: (path: string) => boolean): JsonObject {
  const all = Object.entries(objectAt(swagger, 'paths'));
  const kept = { ...swagger, paths: Object.fromEntries(all.filter(([path]) => isKept(path))) };
  const [before, after] = [usedIn(swagger), usedIn(kept)];
  const definitions = Object.entries(objectAt(swagger, 'definitions')).filter(([name]) => {
    const reference = `#/definitions/${name}`;
    return after.has(reference) || !before.has(reference);
  });
  return { ...kept, definitions: Object.fromEntries(definitions) };
}

function usedIn(swagger: JsonObject): ReadonlySet<string> {
  const used = new Set(referencesIn(objectAt(swagger, 'paths')));
  // A set grows while it is walked: what a definition refers to is walked after it.
  for (const reference of used) {
    const [, section = '', name = ''] = reference.split('/');
    for (const each of referencesIn(objectAt(swagger, section)[name] ?? null)) used.add(each);
  }
  return used;
}

const sections = ['definitions', 'parameters'] as const;

function renamedIn(part: JsonObject, own: JsonObject): JsonObject {
  const names = sections.map((section) =>
    freeNames(objectAt(part, section), objectAt(own, section)),
  );
  const references = sections.flatMap((section, at) =>
    [...(names[at] ?? [])].map(
      ([from, to]) => [`#/${section}/${from}`, `#/${section}/${to}`] as const,
    ),
  );
  const referring = referringTo(new Map(references), part) as JsonObject;
  const moved = sections.map((section, at) => {
    const entries = Object.entries(objectAt(referring, section));
    return [
      section,
      Object.fromEntries(entries.map(([name, each]) => [names[at]?.get(name) ?? name, each])),
    ];
  });
  return { ...referring, ...Object.fromEntries(moved) };
}

/** Of those whose name means something else here. */
function freeNames(others: JsonObject, own: JsonObject): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set([...Object.keys(own), ...Object.keys(others)]);
  for (const [name, value] of Object.entries(others)) {
    const isOurs = (each: string) => Object.hasOwn(own, each) && isSame(own[each], value);
    if (!Object.hasOwn(own, name) || isOurs(name)) continue;
    const free = freeName(name, (each) => !taken.has(each) || isOurs(each));
    names.set(name, free);
    taken.add(free);
  }
  return names;
}

function freeName(name: string, isFree: (name: string) => boolean): string {
  for (let number = 2; ; number += 1) {
    if (isFree(`${name}_v${number}`)) return `${name}_v${number}`;
  }
}

const typesKey = 'x-kubernetes-group-version-kind';

/** Whose kinds have it does not matter. */
function isSame(one: Json | undefined, other: Json): boolean {
  return sameJson(untyped(one), untyped(other));
}

function untyped(schema: Json | undefined): JsonObject {
  const { [typesKey]: _, ...rest } = inside(schema);
  return rest;
}

function joined(own: JsonObject, others: JsonObject): JsonObject {
  const typed = Object.entries(others).map(([name]) => [name, withTypes(name, own, others)]);
  return { ...own, ...Object.fromEntries(typed) };
}

/** One that both have is of the kinds of both. */
function withTypes(name: string, own: JsonObject, others: JsonObject): JsonObject {
  const [here, there] = [objectAt(own, name), objectAt(others, name)];
  if (!Object.hasOwn(own, name)) return there;
  const known = objectsAt(here, typesKey);
  const more = objectsAt(there, typesKey).filter(
    (each) => !known.some((one) => sameJson(one, each)),
  );
  if (more.length === 0) return here;
  return { ...here, [typesKey]: [...known, ...more].toSorted(byType) };
}

function byType(one: JsonObject, other: JsonObject): number {
  return typeText(one) < typeText(other) ? -1 : 1;
}

function typeText({ group, version, kind }: JsonObject): string {
  return `${group}/${version}.${kind}`;
}
