import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { RemoteDocuments } from '../aggregation/remote-documents.ts';
import { objectAt, textAt } from '../custom/definition.ts';
import { customDocument, describedByPath } from './documents/custom-document.ts';
import { mergedSwagger } from './documents/merged-swagger.ts';
import { raisedDocument } from './documents/raised-document.ts';
import { swaggerDefinitions, swaggerPaths } from './documents/swagger.ts';
import { fileOf } from './published/published-groups.ts';
import { once, parsePublished, readPublished } from './read-published.ts';

export type Documents = {
  /** `/openapi/v3`: the path of each document, with the hash of what is there now. */
  openApiV3Index(): Buffer;
  /** `apis/apps/v1`, as the index names it; `etag` is the index's hash. */
  openApiV3(path: string): { readonly bytes: Buffer; readonly etag: string } | undefined;
  /** Who has a document that the index names and this server has not. */
  elsewhere(path: string): { readonly group: string; readonly version: string } | undefined;
  openApiV2(): Buffer;
};

/** Documents are read when somebody asks; of custom kinds and of other servers they are made anew when these are others. */
export function openDocuments(
  definitions: () => readonly JsonObject[],
  remote: () => readonly RemoteDocuments[] = () => [],
): Documents {
  const made = remembered(() => ({ definitions: definitions(), remote: remote() }), madeOf);
  return {
    openApiV3Index: () => made().index(),
    openApiV3(path) {
      const own = made().documents.get(path);
      if (own !== undefined) return { bytes: own, etag: hashOf(own) };
      const hash = publishedHash(path);
      return hash === undefined ? undefined : { bytes: readPublished(fileOf(path)), etag: hash };
    },
    elsewhere: (path) => remote().find((each) => Object.hasOwn(pathsOf(each), path)),
    openApiV2: () => made().swagger(),
  };
}

type Sources = {
  readonly definitions: readonly JsonObject[];
  readonly remote: readonly RemoteDocuments[];
};

type Made = {
  readonly documents: ReadonlyMap<string, Buffer>;
  readonly index: () => Buffer;
  readonly swagger: () => Buffer;
};

function madeOf({ definitions, remote }: Sources): Made {
  const custom = [...describedByPath(definitions)].map(
    ([path, each]) => [path, customDocument(each)] as const,
  );
  const documents = new Map(
    [...remote.flatMap(raised), ...custom].map(([path, document]) => [path, json(document)]),
  );
  return {
    documents,
    index: once(() => json(indexWith(documents, remote))),
    swagger: once(() =>
      swaggerWith(
        custom.map(([, document]) => document),
        remote,
      ),
    ),
  };
}

/** Of a server that knows OpenAPI v2 alone, this one has the document of v3. */
function raised({ group, version, index, swagger }: RemoteDocuments) {
  if (index.kind !== 'none' || swagger.kind !== 'document') return [];
  return [[`apis/${group}/${version}`, raisedDocument(swagger.body)] as const];
}

function pathsOf({ index }: RemoteDocuments): JsonObject {
  return index.kind === 'document' ? objectAt(index.body, 'paths') : {};
}

function swaggerWith(documents: readonly JsonObject[], remote: readonly RemoteDocuments[]): Buffer {
  const others = remote.flatMap(({ group, version, swagger }) =>
    swagger.kind === 'document' ? [{ group, version, body: swagger.body }] : [],
  );
  if (documents.length === 0 && others.length === 0) return readPublished('openapi-v2.json');
  return json(others.reduce(mergedSwagger, withCustom(documents)));
}

function withCustom(documents: readonly JsonObject[]): JsonObject {
  const published = parsePublished('openapi-v2.json');
  const paths = documents.map(swaggerPaths);
  const definitions = documents.map(swaggerDefinitions);
  return {
    ...published,
    paths: Object.assign({}, objectAt(published, 'paths'), ...paths),
    definitions: Object.assign({}, ...definitions, objectAt(published, 'definitions')),
  };
}

const publishedIndex = once(() => objectAt(parsePublished('index.json'), 'paths'));

function indexWith(
  documents: ReadonlyMap<string, Buffer>,
  remote: readonly RemoteDocuments[],
): JsonObject {
  const elsewhere = remote.flatMap((each) => Object.entries(pathsOf(each)).map(located));
  const own = [...documents].map(([path, bytes]): [string, JsonObject] => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(bytes)}` },
  ]);
  const all = Object.entries({
    ...Object.fromEntries(elsewhere),
    ...publishedIndex(),
    ...Object.fromEntries(own),
  });
  return { paths: Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))) };
}

/** Where its server says, with its hash. */
function located([path, place]: readonly [string, Json]): [string, JsonObject] {
  const at = isJsonObject(place) ? textAt(place, 'serverRelativeURL') : '';
  return [path, { serverRelativeURL: at }];
}

function publishedHash(path: string): string | undefined {
  const index = publishedIndex();
  if (!Object.hasOwn(index, path)) return undefined;
  return /hash=(\w+)$/.exec(String(objectAt(index, path)['serverRelativeURL']))?.[1];
}

/** As the server makes it: of the bytes, in capitals. */
function hashOf(bytes: Buffer): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

function remembered<T>(sources: () => Sources, make: (sources: Sources) => T): () => T {
  let kept: { readonly of: string; readonly value: T } | undefined;
  return () => {
    const now = sources();
    const of = [...now.definitions.map(revisionOf), ...now.remote.map(editionOf)].join();
    if (kept?.of !== of) kept = { of, value: make(now) };
    return kept.value;
  };
}

function editionOf({ group, version, ...documents }: RemoteDocuments): string {
  const editions = [documents.index, documents.swagger].map((each) =>
    each.kind === 'document' ? each.edition : each.kind,
  );
  return [group, version, ...editions].join('/');
}

function revisionOf(definition: JsonObject): string {
  const { uid, resourceVersion } = objectAt(definition, 'metadata');
  return `${String(uid)}/${String(resourceVersion)}`;
}

function json(value: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(value));
}
