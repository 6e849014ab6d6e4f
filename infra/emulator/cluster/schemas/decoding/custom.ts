import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { objectMeta } from '../open-schemas.ts';
import { throughGo } from './built-in.ts';
import { type Findings, start } from './findings.ts';

/** Metadata goes through its Go type, the rest is pruned by the structural schema; wrong types are a matter of validation. */
export function pruned(object: JsonObject, schema: Schema, found: Findings): JsonObject {
  const rootMeta: Findings = { wrong: undefined, unknown: [] };
  const metadata = metadataIn(object, '', rootMeta);
  const fields: string[] = [];
  const embedded: Findings = { wrong: undefined, unknown: [] };
  const rest = prunedObject(object, schema, {
    path: '',
    isRoot: true,
    fields,
    embedded,
  });
  found.wrong ??= rootMeta.wrong ?? embedded.wrong;
  found.unknown.push(...rootMeta.unknown, ...fields.sort(), ...embedded.unknown.toSorted());
  return metadata === undefined ? rest : { ...rest, metadata };
}

/** Inside of an object it is told where. */
function toldAt(path: string, metadata: Json, wrong: string): string {
  if (path === '') return wrong;
  return `${path}metadata: Invalid value: ${JSON.stringify(metadata)}: ${wrong}`;
}

type Walk = {
  readonly path: string;
  readonly isRoot: boolean;
  readonly fields: string[];
  readonly embedded: Findings;
};

function metadataIn({ metadata }: JsonObject, path: string, found: Findings): Json | undefined {
  if (metadata === undefined) return undefined;
  const seen: Findings = { wrong: undefined, unknown: [] };
  const decoded = throughGo(metadata, objectMeta(), start(seen));
  if (seen.wrong !== undefined) found.wrong ??= toldAt(path, metadata, seen.wrong);
  found.unknown.push(...seen.unknown.map((name) => `${path}metadata.${name}`));
  return decoded;
}

function prune(value: Json, schema: Schema | undefined, walk: Walk): Json {
  if (isList(value))
    return value.map((each, index) => prune(each, schema?.items, below(walk, index)));
  return isJsonObject(value) ? prunedObject(value, schema, walk) : value;
}

const typeMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function prunedObject(value: JsonObject, schema: Schema | undefined, walk: Walk): JsonObject {
  const isResource = walk.isRoot || schema?.['x-kubernetes-embedded-resource'] === true;
  const keepsAll = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  const kept = Object.entries(value).flatMap(([key, each]): [string, Json][] => {
    if (isResource && typeMeta.has(key)) return [[key, meta(key, value, walk)]];
    const { isKnown, property } = propertyOf(schema, key);
    if (isKnown) return [[key, pruneKnown(each, property, below(walk, key))]];
    if (keepsAll) return [[key, each]];
    walk.fields.push(below(walk, key).path);
    return [];
  });
  return Object.fromEntries(kept.filter(([key, each]) => !isLostNull(each, schema, key)));
}

/** An unnamed value under `additionalProperties: true` is kept whole. */
function pruneKnown(value: Json, property: Schema | undefined, walk: Walk): Json {
  return property === undefined ? value : prune(value, property, walk);
}

function meta(key: string, value: JsonObject, walk: Walk): Json {
  if (key !== 'metadata' || walk.isRoot) return value[key] ?? null;
  return metadataIn(value, `${walk.path}.`, walk.embedded) ?? null;
}

function propertyOf(schema: Schema | undefined, key: string) {
  const properties = schema?.properties ?? {};
  const more = schema?.additionalProperties;
  if (Object.hasOwn(properties, key)) return { isKnown: true, property: properties[key] };
  if (typeof more === 'object') return { isKnown: true, property: more };
  return { isKnown: more === true, property: undefined };
}

/** A null that the schema does not allow is nothing, unless a default takes its place. */
function isLostNull(value: Json, schema: Schema | undefined, key: string): boolean {
  const { property } = propertyOf(schema, key);
  if (value !== null || property === undefined) return false;
  return property['nullable'] !== true && property.default === undefined;
}

function below(walk: Walk, key: string | number): Walk {
  const { path } = walk;
  if (typeof key === 'number') return { ...walk, isRoot: false, path: `${path}[${key}]` };
  return { ...walk, isRoot: false, path: path === '' ? key : `${path}.${key}` };
}
