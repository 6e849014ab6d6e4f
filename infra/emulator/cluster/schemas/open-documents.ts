import { createHash } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectAt } from '../custom/definition.ts';
import { customDocument, describedByPath } from './documents/custom-document.ts';
import { swaggerDefinitions, swaggerPaths } from './documents/swagger.ts';
import { fileOf } from './published/published-groups.ts';
import { once, parsePublished, readPublished } from './read-published.ts';

export type Documents = {
  /** `/openapi/v3`: the path of each document, with the hash of what is there now. */
  openApiV3Index(): Buffer;
  /** `apis/apps/v1`, as the index names it; `etag` is the index's hash. */
  openApiV3(path: string): { readonly bytes: Buffer; readonly etag: string } | undefined;
  openApiV2(): Buffer;
};

/** Documents are read when somebody asks; of custom kinds they are made anew when the definitions are others. */
export function openDocuments(definitions: () => readonly JsonObject[]): Documents {
  const made = remembered(definitions, madeOf);
  return {
    openApiV3Index: () => made().index(),
    openApiV3(path) {
      const custom = made().documents.get(path);
      if (custom !== undefined) return { bytes: custom, etag: hashOf(custom) };
      const hash = publishedHash(path);
      return hash === undefined ? undefined : { bytes: readPublished(fileOf(path)), etag: hash };
    },
    openApiV2: () => made().swagger(),
  };
}

type Made = {
  readonly documents: ReadonlyMap<string, Buffer>;
  readonly index: () => Buffer;
  readonly swagger: () => Buffer;
};

function madeOf(definitions: readonly JsonObject[]): Made {
  const described = [...describedByPath(definitions)].map(
    ([path, each]) => [path, customDocument(each)] as const,
  );
  const documents = new Map(described.map(([path, document]) => [path, json(document)]));
  return {
    documents,
    index: once(() => json(indexWith(documents))),
    swagger: once(() => swaggerWith(described.map(([, document]) => document))),
  };
}

function swaggerWith(documents: readonly JsonObject[]): Buffer {
  if (documents.length === 0) return readPublished('openapi-v2.json');
  const published = parsePublished('openapi-v2.json');
  const paths = documents.map(swaggerPaths);
  const definitions = documents.map(swaggerDefinitions);
  return json({
    ...published,
    paths: Object.assign({}, objectAt(published, 'paths'), ...paths),
    definitions: Object.assign({}, ...definitions, objectAt(published, 'definitions')),
  });
}

const publishedIndex = once(() => objectAt(parsePublished('index.json'), 'paths'));

function indexWith(documents: ReadonlyMap<string, Buffer>): JsonObject {
  const own = [...documents].map(([path, bytes]): [string, JsonObject] => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(bytes)}` },
  ]);
  const all = Object.entries({ ...publishedIndex(), ...Object.fromEntries(own) });
  return { paths: Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))) };
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

function remembered<T>(
  definitions: () => readonly JsonObject[],
  make: (definitions: readonly JsonObject[]) => T,
): () => T {
  let kept: { readonly of: string; readonly value: T } | undefined;
  return () => {
    const now = definitions();
    const of = now.map(revisionOf).join();
    if (kept?.of !== of) kept = { of, value: make(now) };
    return kept.value;
  };
}

function revisionOf(definition: JsonObject): string {
  const { uid, resourceVersion } = objectAt(definition, 'metadata');
  return `${String(uid)}/${String(resourceVersion)}`;
}

function json(value: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(value));
}
