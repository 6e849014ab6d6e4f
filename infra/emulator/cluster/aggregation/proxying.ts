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

type Onward = { readonly options: RequestOptions; readonly endpoint: Place };
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
  const headers = [...forwarded(incoming, place), ...identityHeaders(user)];
  return { options: { method, path: pathOf(url), headers, agent }, endpoint };
}

function handedOn(exchange: Exchange, { options, endpoint }: Onward): Promise<void> {
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
      response.writeHead(answer.statusCode ?? 502, ownHeaders(answer.rawHeaders));
      // A watch's client waits for the headers alone.
      response.flushHeaders();
      pipeline(answer, response, () => resolve());
    });
    pipeline(incoming, asked, () => undefined);
  });
}

/** The router's plain text, as Go writes errors. */
export function unavailable(response: ServerResponse, why: string): void {
  response.writeHead(503, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${why}\n`);
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
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|authorization|impersonate-.*|x-remote-.*|x-forwarded-.*)$/i;

function forwarded(incoming: IncomingMessage, place: string): readonly string[] {
  const kept = ownHeaders(incoming.rawHeaders);
  const { pathname } = new URL(incoming.url ?? '/', 'https://here');
  const isChunked = incoming.headers['transfer-encoding'] !== undefined;
  return [
    ...['Host', place],
    ...kept,
    ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ...['X-Forwarded-For', incoming.socket.remoteAddress ?? ''],
    ...['X-Forwarded-Host', place, 'X-Forwarded-Proto', 'https', 'X-Forwarded-Uri', pathname],
  ];
}

function ownHeaders(raw: readonly string[]): string[] {
  return raw.flatMap((name, at) => {
    if (at % 2 === 1 || dropped.test(name) || name.startsWith(':')) return [];
    return [name, raw[at + 1] ?? ''];
  });
}
