import { parseAllDocuments } from 'yaml';
import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { readDocumentAt } from '#shared/domain/pod-bootstrap/check-document.ts';
import {
  type DocumentRead,
  isDocument,
  readDocument,
} from '#shared/domain/pod-bootstrap/read-document.ts';
import type { PodBootstrapSettings } from '#shared/domain/pod-bootstrap/settings.ts';

/** Where the cluster reads the document. */
export type MapPlace = Pick<PodBootstrapSettings['configMap'], 'namespace' | 'name' | 'key'>;

/** One that stands in a file, by itself or in a ConfigMap. */
export type FoundDocument = {
  readonly of: string;
  readonly source: string;
  readonly read: DocumentRead;
  /** Of where it stands: the cluster reads it elsewhere. */
  readonly doubts: readonly string[];
  readonly isInPlace: boolean;
};

export type Found = {
  readonly documents: readonly FoundDocument[];
  /** What else stands there. */
  readonly passedOver: readonly string[];
};

/** The place is asked for where there is a ConfigMap: of other files nobody need read the settings. */
export function documentsIn(text: string, placeOf: () => MapPlace): Found {
  const objects = objectsIn(text);
  const [only] = objects;
  if (objects.length === 1 && only !== undefined && isDocument(only)) {
    const found = { of: 'it', source: text, read: readDocument(text), doubts: [] };
    return { documents: [{ ...found, isInPlace: true }], passedOver: [] };
  }
  if (!objects.some(isMap)) return nothing;
  const place = placeOf();
  const looked = objects.map((object) => object && documentOf(object, place));
  return {
    documents: looked.filter((each) => each !== undefined),
    passedOver: objects.filter((_, index) => looked[index] === undefined).map(titleOf),
  };
}

export const nothing: Found = { documents: [], passedOver: [] };

function isMap(object: JsonObject | undefined): boolean {
  return object?.['kind'] === 'ConfigMap';
}

function titleOf(object: JsonObject | undefined): string {
  if (object === undefined) return 'what is no object';
  const { kind = 'something without a kind' } = object;
  return `${String(kind)} ${whereIs(object)}`.trim();
}

function whereIs(object: JsonObject): string {
  const { name = '', namespace } = identityOf(object);
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function identityOf({ metadata }: JsonObject) {
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  return { name: textIn(name), namespace: textIn(namespace) };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The cluster's is asked as the cluster would; of others those alone that somebody may have meant. */
function documentOf(object: JsonObject, place: MapPlace): FoundDocument | undefined {
  if (!isMap(object)) return undefined;
  const data = isJsonObject(object['data']) ? object['data'] : {};
  const of = titleOf(object);
  if (isAt(object, place)) {
    const { key } = place;
    return { of, ...readAt(data, key), doubts: [], isInPlace: true };
  }
  const key = Object.hasOwn(data, place.key) ? place.key : likelyKey(data);
  if (key === undefined) return undefined;
  const there = `ConfigMap ${place.namespace}/${place.name}, key ${place.key}`;
  const doubts = [`it stands in ${of}, under key ${key}; the cluster reads ${there}`];
  return { of, ...readAt(data, key), doubts, isInPlace: false };
}

/** A manifest may leave its namespace to whoever applies it. */
function isAt(object: JsonObject, place: MapPlace): boolean {
  const { name, namespace = place.namespace } = identityOf(object);
  return name === place.name && namespace === place.namespace;
}

function readAt(data: JsonObject, key: string): Pick<FoundDocument, 'source' | 'read'> {
  const source = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof source === 'string') return { source, read: readDocument(source) };
  const problem = `$.data["${key}"]: expected text (it is written behind |)`;
  const read = source === undefined ? readDocumentAt({}, key) : refused(problem);
  return { source: '', read };
}

function refused(problem: string): DocumentRead {
  return { ok: false, problems: [problem] };
}

/** The only one of JSON, unless it is plainly something else. */
function likelyKey(data: JsonObject): string | undefined {
  const [key, ...others] = Object.keys(data).filter((each) => each.endsWith('.json'));
  const source = key === undefined ? undefined : data[key];
  if (others.length > 0 || typeof source !== 'string') return undefined;
  return isOther(source) ? undefined : key;
}

function isOther(source: string): boolean {
  try {
    const value: unknown = JSON.parse(source);
    return !isJsonObject(value) || !isDocument(value);
  } catch {
    // What is broken may have been meant for one.
    return false;
  }
}

/** Of several documents and of Lists; `undefined` stands for what is no object. */
function objectsIn(text: string): readonly (JsonObject | undefined)[] {
  return [...parseAllDocuments(text, { logLevel: 'silent' })].flatMap((each) => {
    const value = each.errors.length > 0 ? undefined : plain(each);
    // Between two lines of dashes nothing need stand.
    return value === null ? [] : listed(value);
  });
}

function listed(value: unknown): readonly (JsonObject | undefined)[] {
  if (!isJsonObject(value)) return [undefined];
  const { kind, items } = value;
  const isOfMany = typeof kind === 'string' && kind.endsWith('List') && isList(items);
  return isOfMany ? items.flatMap(listed) : [value];
}

/** Of what unfolds without an end nobody can say that it is a document. */
function plain(parsed: ReturnType<typeof parseAllDocuments>[number]): unknown {
  try {
    return parsed.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
