import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import type { Connections } from './connections.ts';
import { goWords, outOfTime } from './go-words.ts';
import type { Target } from './target.ts';

export type Answered =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly type: string;
      readonly body: string;
    }
  | { readonly kind: 'unreachable'; readonly why: string };

export type Sending = {
  readonly target: Target;
  readonly body: string;
  readonly timeoutSeconds: number;
};

const mostBytes = 16 * 2 ** 20;
const mostRedirects = 10;

/** One POST as the API server's client sends it; words of failure are Go's. */
export async function posted(
  { target, body, timeoutSeconds }: Sending,
  connections: Connections,
): Promise<Answered> {
  const path = `${target.path}?timeout=${timeoutSeconds}s`;
  const deadline = connections.deadline(timeoutSeconds);
  const send = { target, connections, deadline, method: 'POST', path, body };
  try {
    return await followed(send);
  } catch (cause: unknown) {
    const why = deadline.aborted ? outOfTime : goWords(cause, target);
    return { kind: 'unreachable', why: `Post "${target.url}?timeout=${timeoutSeconds}s": ${why}` };
  }
}

type Send = {
  readonly target: Target;
  readonly connections: Connections;
  readonly deadline: AbortSignal;
  readonly method: string;
  readonly path: string;
  readonly body: string;
};

/** Redirects are followed as Go does, and only to the same place: nothing else is trusted here. */
async function followed(send: Send, before = 0): Promise<Answered> {
  const answer = await sentAgain(send);
  const { statusCode: status = 0, headers } = answer;
  const body = await bodyOf(answer);
  if (headers.location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
    return { kind: 'answer', status, type: headers['content-type'] ?? '', body };
  }
  if (before === mostRedirects) throw new Error('stopped after 10 redirects');
  const to = new URL(headers.location, `${send.target.url}`);
  if (to.host !== new URL(send.target.url).host) {
    throw new Error(`the emulator follows no redirect to another host: ${to.host}`);
  }
  const next = { ...send, path: `${to.pathname}${to.search}` };
  return followed(status < 307 ? { ...next, method: 'GET', body: '' } : next, before + 1);
}

/** An idle connection may have ended just now, which says nothing of the server. */
async function sentAgain(send: Send): Promise<IncomingMessage> {
  const first = await sent(send);
  if (first.kind === 'answer') return first.answer;
  if (!first.wasReused || send.deadline.aborted) throw first.cause;
  const second = await sent(send);
  if (second.kind === 'failed') throw second.cause;
  return second.answer;
}

type Sent =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly wasReused: boolean };

function sent({ target, connections, deadline, method, path, body }: Send): Promise<Sent> {
  const { host, port } = target;
  const length = Buffer.byteLength(body);
  const headers = {
    Host: target.hostHeader,
    'User-Agent': 'kube-apiserver-admission',
    ...(method === 'POST' && { 'Content-Length': length }),
    Accept: 'application/json, */*',
    ...(method === 'POST' && { 'Content-Type': 'application/json' }),
    'Accept-Encoding': 'gzip',
  };
  return new Promise((resolve) => {
    const agent = connections.to(target);
    const asked = request({ host, port, method, path, headers, agent, signal: deadline });
    // Go leaves the header out, and keeps the connection all the same.
    asked.removeHeader('connection');
    asked.on('response', (answer) => resolve({ kind: 'answer', answer }));
    asked.on('error', (cause: unknown) =>
      resolve({ kind: 'failed', cause, wasReused: asked.reusedSocket }),
    );
    asked.end(body);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > mostBytes) throw new Error(`an answer of more than ${mostBytes} bytes`);
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  return (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString();
}
