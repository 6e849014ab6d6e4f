import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import type { Connections } from './connections.ts';
import type { Target } from './target.ts';

/** One request on its way. */
export type Send = {
  readonly target: Target;
  readonly connections: Connections;
  readonly deadline: AbortSignal;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Where a redirect has come from. */
  readonly referer?: string | undefined;
  /** A redirect may lead to where there is no TLS. */
  readonly isPlain?: boolean;
};

export function urlOf({ isPlain = false, target, path }: Send): string {
  return `${isPlain ? 'http' : 'https'}://${target.hostHeader}${path}`;
}

/** An idle connection may have ended just now, which says nothing of the server. */
export async function asked(send: Send): Promise<IncomingMessage> {
  const first = await sent(send);
  if (first.kind === 'answer') return first.answer;
  if (!first.wasReused || !isReset(first.cause) || send.deadline.aborted) throw first.cause;
  const second = await sent(send);
  if (second.kind === 'failed') throw second.cause;
  return second.answer;
}

type Sent =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly wasReused: boolean };

function isReset(cause: unknown): boolean {
  const code = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function sent(send: Send): Promise<Sent> {
  return new Promise((resolve) => {
    const request = requestFor(send);
    const fail = (cause: unknown) =>
      resolve({ kind: 'failed', cause, wasReused: request.reusedSocket });
    // A request that has no connection yet hears of no signal.
    send.deadline.addEventListener('abort', () => fail(send.deadline.reason), { once: true });
    request.on('response', (answer) => resolve({ kind: 'answer', answer }));
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve({ kind: 'answer', answer });
    });
    request.on('error', fail);
    request.end(send.body);
  });
}

function requestFor({ target, connections, deadline, isPlain, ...send }: Send) {
  const { host, port } = target;
  const { method, path, body, referer } = send;
  const headers = {
    Host: target.hostHeader,
    'User-Agent': 'kube-apiserver-admission',
    ...(method === 'POST' && { 'Content-Length': Buffer.byteLength(body) }),
    Accept: 'application/json, */*',
    ...(method === 'POST' && { 'Content-Type': 'application/json' }),
    ...(referer !== undefined && { Referer: referer }),
    'Accept-Encoding': 'gzip',
  };
  const options = { host, port, method, path, headers, signal: deadline };
  const asking = isPlain
    ? plainRequest(options)
    : request({ ...options, agent: connections.to(target) });
  // Go leaves the header out, and keeps the connection all the same.
  asking.removeHeader('connection');
  return asking;
}
