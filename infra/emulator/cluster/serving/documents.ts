import { createHash } from 'node:crypto';
import { pageNotFound, type Refusal } from '../refusal.ts';
import type { Documents } from '../schemas/open-documents.ts';
import type { Beside } from './handling.ts';
import type { Answer } from './world.ts';

type Document = { readonly bytes: Buffer; readonly etag: string };

const page = /^\/openapi\/(v[23])(?:\/(.*))?$/;

/** `/openapi/v2`, `/openapi/v3`, and below it a document for each version of a group. */
export function openApiPages(documents: Documents): Beside {
  return ({ route, query, headers }) => {
    const [, version, path = ''] = route.kind === 'plain' ? (page.exec(route.path) ?? []) : [];
    const known = { etag: headers['if-none-match'], hash: query.get('hash') };
    if (version === 'v2') return Promise.resolve(swagger(documents.openApiV2(), known.etag));
    return Promise.resolve(version === 'v3' ? documentAt(documents, path, known) : undefined);
  };
}

type Known = { readonly etag: string | undefined; readonly hash: string | null };

function documentAt(documents: Documents, path: string, known: Known): Answer | Refusal {
  if (path === '') return json(documents.openApiV3Index());
  const found = documents.openApiV3(path.replace(/\/$/, ''));
  if (found === undefined) return pageNotFound;
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
  const etag = createHash('sha512').update(bytes).digest('hex').toUpperCase();
  return documentOf({ bytes, etag }, known);
}
