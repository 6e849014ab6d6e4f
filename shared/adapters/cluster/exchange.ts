import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import type { RequestOptions } from 'node:https';
import { request as secure } from 'node:https';
import type { Sieve } from './metadata-sieve.ts';
import { isDearToParse } from './parsed-size.ts';

export type Sent = {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
} & Bounds;

/** Of an answer. */
export type Bounds = {
  readonly maxBytes: number;
  /** Of what its text is parsed to, beside the text. */
  readonly maxParsedBytes?: number | undefined;
  /** Only what it keeps is held, and counts. */
  readonly sieve?: (() => Sieve) | undefined;
};

export type Received = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
};

/** One request and its whole answer, or an error: nothing arrives by halves. */
export async function exchange(sent: Sent): Promise<Received> {
  return receivedFrom(await opened(sent), sent);
}

/** The answer, of which nothing but the head was read so far. */
export function opened({
  url,
  options,
  body,
  signal,
}: Omit<Sent, keyof Bounds>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const send = url.protocol === 'http:' ? plain : secure;
    const request = send(url, options);
    request.on('error', (cause) => {
      reject(Object.assign(cause, { staleConnection: isStale(cause, request.reusedSocket) }));
    });
    request.on('response', resolve);
    endWith(signal, request, reject);
    request.end(body);
  });
}

/**
 * Not by http's own `signal`: of an answer that has arrived and was not read to its end, it throws the error at the
 * bare socket, where nobody listens, and the process dies.
 */
function endWith(signal: AbortSignal, request: ClientRequest, onEnd: (cause: Error) => void): void {
  let answer: IncomingMessage | undefined;
  request.on('response', (arrived) => {
    answer = arrived;
  });
  const hangUp = () => {
    const cause = asError(signal.reason);
    if (answer === undefined) request.destroy(cause);
    else answer.destroy();
    // A request that still waits for a socket would hear of its end only with the next one that is free.
    onEnd(cause);
  };
  signal.addEventListener('abort', hangUp);
  request.on('close', () => signal.removeEventListener('abort', hangUp));
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('given up', { cause: reason });
}

export async function receivedFrom(answer: IncomingMessage, bounds: Bounds): Promise<Received> {
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'],
    text: await wholeText(answer, bounds),
  };
}

/** The server closed an idle connection in the moment that we took it up. */
function isStale(cause: Error, reused: boolean): boolean {
  return reused && 'code' in cause && cause.code === 'ECONNRESET';
}

export function isStaleConnection(cause: unknown): boolean {
  return cause instanceof Error && Reflect.get(cause, 'staleConnection') === true;
}

/** Also where it is the cause of another error. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TooLarge' || isTooLarge(error.cause);
}

async function wholeText(answer: IncomingMessage, bounds: Bounds): Promise<string> {
  const { maxBytes, maxParsedBytes = Number.POSITIVE_INFINITY } = bounds;
  const kept: Sieve = bounds.sieve?.() ?? ((chunk) => chunk);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const arrived of answer as AsyncIterable<Buffer>) {
    const chunk = kept(arrived);
    bytes += chunk.length;
    if (bytes > maxBytes) {
      answer.destroy();
      throw tooLarge(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  if (isDearToParse(whole, maxParsedBytes)) throw tooLarge('the answer has too many parts');
  return whole.toString('utf8');
}

function tooLarge(why: string): Error {
  return Object.assign(new Error(why), { name: 'TooLarge' });
}
