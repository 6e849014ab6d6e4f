import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { pipeline } from 'node:stream';
import { goWords } from '../admission/reaching/go-words.ts';
import type { User } from '../parts.ts';
import type { ApiService } from './api-service.ts';
import { identityHeaders, type Reaching, targetFor } from './remote.ts';

export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

type Asking = { readonly apiService: ApiService; readonly user: User };

/** Hands a request on as it is, in the name of its user, and streams the answer back: a watch stays open as long as both want. */
export function proxied(exchange: Exchange, asking: Asking, reaching: Reaching): Promise<void> {
  const onward = onwardFor(exchange.request, asking, reaching);
  if (onward !== undefined) return handedOn(exchange, onward);
  unavailable(exchange.response, 'service unavailable');
  return Promise.resolve();
}

type Onward = {
  readonly options: RequestOptions;
  readonly endpoint: Place;
  readonly auditId: string;
};
type Place = { readonly host: string; readonly port: number };

function onwardFor(
  incoming: IncomingMessage,
  { apiService, user }: Asking,
  { reading, connections, frontProxy }: Reaching,
): Onward | undefined {
  const target = targetFor(apiService, reading);
  const endpoint = target?.resolve();
  if (target === undefined || endpoint?.kind !== 'at' || !apiService.isAvailable) return undefined;
  const { method = 'GET', url = '/' } = incoming;
  const { isUnverified } = apiService;
  const agent = connections.to(target, { isUnverified, own: frontProxy });
  const place = `${endpoint.host}:${endpoint.port}`;
  const auditId = randomUUID();
  const headers = [
    ...forwarded(incoming, place),
    ...['Audit-Id', auditId],
    ...identityHeaders(user),
  ];
  return { options: { method, path: pathOf(url), headers, agent }, endpoint, auditId };
}

function handedOn(exchange: Exchange, { options, endpoint, auditId }: Onward): Promise<void> {
  const { request: incoming, response } = exchange;
  return new Promise((resolve) => {
    const asked = request(options);
    response.on('close', () => {
      asked.destroy();
      resolve();
    });
    asked.on('error', (cause) => {
      if (response.headersSent) response.destroy(cause);
      else unavailable(response, `error trying to reach service: ${goWords(cause, endpoint)}`);
    });
    asked.on('response', (answer) => {
      const { statusCode = 502 } = answer;
      if (isRedirect(statusCode)) {
        asked.destroy();
        return plainly(response, { code: 502, text: noRedirect, auditId });
      }
      response.writeHead(statusCode, [
        ...['Audit-Id', auditId, 'Cache-Control', 'no-cache, private'],
        ...ownHeaders(answer),
      ]);
      // A watch's client waits for the headers alone.
      response.flushHeaders();
      pipeline(answer, response, () => resolve());
    });
    pipeline(incoming, asked, () => undefined);
  });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}

const noRedirect = 'the backend attempted to redirect this request, which is not permitted';

/** The router's plain text, as Go writes errors. */
export function unavailable(response: ServerResponse, why: string): void {
  response.setHeader('x-content-type-options', 'nosniff');
  plainly(response, { code: 503, text: `${why}\n`, auditId: randomUUID() });
}

type Plain = { readonly code: number; readonly text: string; readonly auditId: string };

function plainly(response: ServerResponse, { code, text, auditId }: Plain): void {
  response.writeHead(code, {
    'audit-id': auditId,
    'cache-control': 'no-cache, private',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** As Go encodes a query: sorted by name. */
function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'https://here');
  searchParams.sort();
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}

/** Of one connection only, or about who asks: those a client could only forge. */
const dropped =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|authorization|impersonate-.*|x-remote-.*|x-forwarded-.*|audit-id)$/i;

function forwarded(incoming: IncomingMessage, place: string): readonly string[] {
  const kept = ownHeaders(incoming);
  const { 'x-forwarded-for': before } = incoming.headers;
  const way = [...(before === undefined ? [] : [before]), incoming.socket.remoteAddress ?? ''];
  const { pathname } = new URL(incoming.url ?? '/', 'https://here');
  const isChunked = incoming.headers['transfer-encoding'] !== undefined;
  return [
    ...['Host', place],
    ...kept,
    ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ...['X-Forwarded-For', way.join(', ')],
    ...['X-Forwarded-Host', place, 'X-Forwarded-Proto', 'https', 'X-Forwarded-Uri', pathname],
  ];
}

/** Also those are of one connection that its own header names. */
function ownHeaders({ rawHeaders: raw, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return raw.flatMap((name, at) => {
    if (at % 2 === 1 || dropped.test(name) || name.startsWith(':')) return [];
    return named.includes(name.toLowerCase()) ? [] : [name, raw[at + 1] ?? ''];
  });
}
