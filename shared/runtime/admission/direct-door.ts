import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { isJson } from './body.ts';
import type { Desk } from './desk.ts';
import { gathered } from './gathered.ts';
import type { Host } from './host.ts';
import { type Asking, openRecall, type Recall } from './recall.ts';
import { together } from './together.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Says whether it has taken the request; what it leaves is for the app behind it. */
export type Door = (
  incoming: Incoming,
  outgoing: Outgoing,
  /** Whether connections are given back: an answer must say so then. */
  isClosing: () => boolean,
) => boolean;

/**
 * Reviews straight off Node's HTTP/1.1 socket, as API servers send them; everything else, errors included, is the app's.
 * The same desk and the same answer: what is saved are the Request and Response between, which cost 43 µs of 143.
 */
export function directDoor(desk: Desk, host: Host): Door {
  const recall = openRecall(host);
  const answerSoon = together((taken: Taken) => answer(taken, recall, host));
  return (incoming, outgoing, isClosing) => {
    if (!isPlainReview(incoming, host)) return false;

    const { path, timeout } = addressOf(incoming.url ?? '');
    const entry = desk.at(path, () => namesCalled(incoming));
    if (entry === undefined) return false;
    const call = { started: performance.now(), timeout };
    const to = { outgoing: outgoing as ServerResponse, isClosing };
    read(incoming, (chunks) => answerSoon({ entry, call, body: gathered(chunks), to }));
    return true;
  };
}

function isPlainReview({ httpVersionMajor, method, headers }: Incoming, host: Host): boolean {
  if (httpVersionMajor !== 1 || method !== 'POST') return false;
  const length = Number(headers['content-length']);
  return (
    length > 0 && length <= host.settings().server.maxBodyBytes && isJson(headers['content-type'])
  );
}

/**
 * The parser hands over as many bytes as were announced. Of a sender that leaves before, nothing more is heard. They
 * become text when it is their turn: that of 16 connections at once would grow old before it is read.
 */
function read(incoming: Incoming, heard: (chunks: readonly Buffer[]) => void): void {
  let missing = Number(incoming.headers['content-length']);
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    missing -= chunk.length;
    // Let go at once: a connection keeps its last request until the next, and 30 MiB of bodies would grow old with it.
    if (missing === 0) heard(chunks.splice(0));
  });
}

type Asker = { readonly outgoing: ServerResponse; readonly isClosing: () => boolean };

type Taken = Asking & { readonly to: Asker };

function answer({ to, ...asking }: Taken, recall: Recall, host: Host): void {
  const send = (text: string) => end(to, 200, { type: 'application/json', text });
  const fail = (cause: unknown) => {
    host.log.error({ path: asking.entry.path, err: cause }, 'a review could not be answered');
    end(to, 500, { type: 'text/plain', text: 'this review could not be answered\n' });
  };
  try {
    const text = recall(asking);
    if (text instanceof Promise) text.then(send, fail);
    else send(text);
  } catch (cause: unknown) {
    fail(cause);
  }
}

type Body = { readonly type: string; readonly text: string };

function end({ outgoing, isClosing }: Asker, status: number, { type, text }: Body): void {
  const length = Buffer.byteLength(text);
  const headers = ['content-type', type, 'content-length', String(length)];
  if (isClosing()) headers.push('connection', 'close');
  outgoing.writeHead(status, headers);
  // Written as it is where each character is a byte, which spares a second pass over it.
  outgoing.end(text, length === text.length ? 'latin1' : 'utf8');
}

type Address = { readonly path: string; readonly timeout: string | undefined };

/** Anything but a plain path with a plain timeout is the app's to take apart. */
function addressOf(url: string): Address {
  const query = url.indexOf('?');
  if (query === -1) return { path: url, timeout: undefined };
  const stated = /^\?timeout=([^&%+]*)$/.exec(url.slice(query));
  return stated === null
    ? { path: '', timeout: undefined }
    : { path: url.slice(0, query), timeout: stated[1] };
}

function namesCalled({ headers, socket }: Incoming): readonly string[] {
  const servername: unknown = 'servername' in socket ? socket.servername : undefined;
  return [headers.host ?? '', typeof servername === 'string' ? servername : ''];
}
