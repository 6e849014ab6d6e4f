import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Refusal } from '../refusal.ts';
import type { Documents } from '../schemas/open-documents.ts';
import type { Beside } from './handling.ts';
import type { Answer } from './world.ts';

type Document = { readonly bytes: Buffer; readonly etag: string };

const below = '/openapi/v3/';

/** `/openapi/v2`, `/openapi/v3`, and below it a document for each version of a group. */
export function openApiPages(documents: Documents): Beside {
  return ({ route, query, headers }) => {
    const path = route.kind === 'plain' ? route.path : '';
    const known = { etag: headers['if-none-match'], hash: query.get('hash') };
    if (path === '/openapi/v3') return Promise.resolve(index(documents.openApiV3Index()));
    if (path.startsWith(below)) {
      return Promise.resolve(documentAt(documents, path.slice(below.length), known));
    }
    if (path !== '/openapi/v2') return Promise.resolve(undefined);
    return Promise.resolve(
      isProtobufOnly(headers) ? withoutKinds : swagger(documents.openApiV2(), known.etag),
    );
  };
}

/** The real server calls it text. */
function index(bytes: Buffer): Answer {
  return { ...json(bytes), headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

function isProtobufOnly({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept === protobuf;
}

const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * The old document in protobuf, with no kinds in it. Clients ask for it where the new documents do not know a kind; from JSON
 * in its place they would learn only that it cannot be read.
 */
const withoutKinds: Answer = {
  code: 200,
  body: '',
  headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
};

type Known = { readonly etag: string | undefined; readonly hash: string | null };

function documentAt(documents: Documents, path: string, known: Known): Answer | Refusal {
  const found = documents.openApiV3(path);
  if (found === undefined) return { code: 404, body: '' };
  return versioned(found, known.hash) ?? documentOf(found, known.etag);
}

/** Whoever asks for another edition is shown where this one is. */
function versioned({ etag: current }: Document, hash: string | null): Answer | undefined {
  if (hash === null || hash === current) return undefined;
  return { code: 301, body: '', headers: { location: `?hash=${current}`, etag: `"${current}"` } };
}

function documentOf({ bytes, etag: hash }: Document, known: string | undefined): Answer {
  const etag = `"${hash}"`;
  if (known === etag) return { code: 304, body: '', headers: { etag } };
  const { headers, ...answer } = json(bytes);
  return { ...answer, headers: { ...headers, etag } };
}

function json(bytes: Buffer): Answer {
  return { code: 200, body: bytes.toString(), headers: { 'content-type': 'application/json' } };
}

function swagger(bytes: Buffer, known: string | undefined): Answer {
  return documentOf({ bytes, etag: digestOf(bytes) }, known);
}

function digestOf(bytes: Buffer | string): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

/** Clients keep it for as long as its tag is the same. */
export function discoveryPage(list: JsonObject, known: string | undefined): Answer {
  const body = JSON.stringify(list);
  const etag = `"${digestOf(body)}"`;
  const headers = { etag, 'cache-control': 'public', vary: 'Accept' };
  if (known === etag) return { code: 304, body: '', headers };
  const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  return { code: 200, body, headers: { ...headers, 'content-type': type } };
}
