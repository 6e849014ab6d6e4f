import { isJsonObject, type Json, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import { type Application, application, type Outcome } from './applying.ts';
import type { Conflicts } from './changing.ts';
import { compared } from './comparing.ts';
import { goJson } from './elements.ts';
import { difference, type Fields, isEmpty, noFields } from './fields.ts';
import { fieldsOf, stated } from './fields-of.ts';
import { metadataOf } from './owners.ts';
import { misfitsOf } from './validating.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const mostBytes = 256 * 1024;

/** Only kubectl's own applies know of the annotation that its client-side ones leave. */
const client = 'kubectl';

/** What kubectl applied from its own side, and nobody has changed since, is no conflict for it. */
export function forgiven(what: Application, conflicts: Conflicts): Outcome {
  const allowed = what.by.manager === client ? lastApplied(what) : undefined;
  if (allowed === undefined) return { kind: 'conflicts', conflicts };
  const left = conflicts
    .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
    .filter(({ fields }) => !isEmpty(fields));
  return left.length > 0
    ? { kind: 'conflicts', conflicts: left }
    : application({ ...what, force: true });
}

function lastApplied({ shape, live, by }: Application): Fields | undefined {
  const config = parsed(annotationOf(live));
  if (!isJsonObject(config) || config['apiVersion'] !== by.apiVersion) return undefined;
  if (misfitsOf(shape, config) !== undefined) return undefined;
  const { added, modified, removed } = compared(shape, config, live);
  const fields = fieldsOf(shape, config, stated) ?? noFields;
  return [modified, added, removed].reduce(difference, fields);
}

function annotationOf(object: JsonObject): string | undefined {
  const { annotations } = metadataOf(object);
  const value = isJsonObject(annotations) ? annotations[annotation] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parsed(text: string | undefined): Json | undefined {
  // What somebody wrote by hand allows nothing.
  return text === undefined ? undefined : jsonIn(text);
}

/** Where the annotation is, it stays true: the next client-side apply compares with it. */
export function annotated(object: JsonObject, { config, by }: Application): JsonObject {
  if (by.manager !== client || annotationOf(object) === undefined) return object;
  const value = `${goJson(sorted(withoutAnnotation(config)))}\n`;
  const metadata = metadataOf(object);
  const { [annotation]: _, ...others } = annotationsOf(metadata);
  const annotations = { ...others, [annotation]: value };
  return {
    ...object,
    metadata: { ...metadata, annotations: sizeOf(annotations) > mostBytes ? others : annotations },
  };
}

function annotationsOf({ annotations }: JsonObject): JsonObject {
  return isJsonObject(annotations) ? annotations : {};
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = metadataOf(config);
  if (metadata['annotations'] === undefined) return config;
  const { [annotation]: _, ...annotations } = annotationsOf(metadata);
  return { ...config, metadata: { ...metadata, annotations } };
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}

/** Go writes the keys of a map in order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}
