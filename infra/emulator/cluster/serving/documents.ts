import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Aggregation } from '../aggregation/open-aggregation.ts';
import type { Documents } from '../schemas/open-documents.ts';
import type { Beside } from './handling.ts';
import type { Answer } from './world.ts';

type Document = { readonly bytes: Buffer; readonly etag: string };

const below = '/openapi/v3/';

/** `/openapi/v2`, `/openapi/v3`, and below it a document for each version of a group. */
export function openApiPages(
  documents: Documents,
  aggregation: Pick<Aggregation, 'proxy'>,
): Beside {
  return async ({ route, query, headers }, exchange) => {
    if (route.kind !== 'plain') return undefined;
    const { path } = route;
    const own = ownPage(documents, { path, headers, hash: query.get('hash') });
    if (own !== undefined || !path.startsWith(below)) return own;
    return passedOn(documents.elsewhere(path.slice(below.length)), aggregation, exchange);
  };
}

type Asked = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly hash: string | null;
};

function ownPage(documents: Documents, { path, headers, hash }: Asked): Answer | undefined {
  const etag = headers['if-none-match'];
  if (path === '/openapi/v3') return index(documents.openApiV3Index());
  if (path === '/openapi/v2') {
    return isProtobufOnly(headers) ? withoutKinds : swagger(documents.openApiV2(), etag);
  }
  if (!path.startsWith(below)) return undefined;
  return documentAt(documents, path.slice(below.length), { etag, hash });
}

/** Another server's document it serves itself, to who asks. */
async function passedOn(
  at: ReturnType<Documents['elsewhere']>,
  { proxy }: Pick<Aggregation, 'proxy'>,
  { request, response, user }: Parameters<Beside>[1],
): Promise<Answer | 'answered'> {
  if (at === undefined) return { code: 404, body: '' };
  await proxy({ request, response }, { ...at, user });
  return 'answered';
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

function documentAt(documents: Documents, path: string, known: Known): Answer | undefined {
  const found = documents.openApiV3(path);
  if (found === undefined) return undefined;
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
