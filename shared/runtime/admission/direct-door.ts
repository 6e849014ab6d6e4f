import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { answerReview } from './answer-review.ts';
import { isJson } from './body.ts';
import type { Desk, Entry } from './desk.ts';
import { openEnvelope } from './envelope.ts';
import type { Host } from './host.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Says whether it has taken the request; what it leaves is for the app behind it. */
export type Door = (incoming: Incoming, outgoing: Outgoing) => boolean;

/**
 * Reviews straight off Node's HTTP/1.1 socket, as API servers send them; everything else, errors included, is the app's.
 * The same desk and the same answer: what is saved are the Request and Response between, which cost 43 µs of 143.
 */
export function directDoor(desk: Desk, host: Host): Door {
  return (incoming, outgoing) => {
    if (!isPlainReview(incoming, host)) return false;

    const { path, timeout } = addressOf(incoming.url ?? '');
    const entry = desk.at(path, () => namesCalled(incoming));
    if (entry === undefined) return false;
    take({ entry, timeout, host }, incoming, outgoing as ServerResponse);
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

type Taken = { readonly entry: Entry; readonly timeout: string | undefined; readonly host: Host };

function take({ entry, timeout, host }: Taken, incoming: Incoming, outgoing: ServerResponse): void {
  const started = performance.now();
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A sender that leaves half way ends without an `end`: nobody is there to be answered.
  incoming.on('error', () => undefined);
  incoming.on('end', () => {
    const opened = openEnvelope(textOf(chunks));
    answerReview(opened, entry, host, { started, timeout }).then(
      (text) => end(outgoing, 200, { type: 'application/json', text }),
      (cause: unknown) => {
        host.log.error({ path: entry.path, err: cause }, 'a review could not be answered');
        end(outgoing, 500, { type: 'text/plain', text: 'this review could not be answered\n' });
      },
    );
  });
}

function textOf(chunks: readonly Buffer[]): string {
  const [first, ...more] = chunks;
  if (first === undefined) return '';
  return (more.length === 0 ? first : Buffer.concat(chunks)).toString('utf8');
}

type Body = { readonly type: string; readonly text: string };

function end(outgoing: ServerResponse, status: number, { type, text }: Body): void {
  const length = Buffer.byteLength(text);
  outgoing.writeHead(status, { 'content-type': type, 'content-length': length });
  outgoing.end(text);
}

/** Anything but a plain path with a plain timeout is the app's to take apart. */
function addressOf(url: string): { readonly path: string; readonly timeout: string | undefined } {
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
