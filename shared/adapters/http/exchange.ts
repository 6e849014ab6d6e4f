import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plain,
  type RequestOptions,
} from 'node:http';
import { request as secure } from 'node:https';

export type Sent = {
  readonly url: URL;
  readonly agent: Agent;
  readonly options: Pick<RequestOptions, 'headers' | 'lookup' | 'method'>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
};

/** The answer, of which nothing but the head was read so far. */
export async function opened(sent: Sent): Promise<IncomingMessage> {
  return once(sent).catch((cause: unknown) => {
    // The server closed an idle connection in the moment that we took it up. Only a read is asked again.
    if (sent.body === undefined && isStale(cause) && !sent.signal.aborted) return once(sent);
    throw cause;
  });
}

function once({ url, agent, options, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const send = url.protocol === 'http:' ? plain : secure;
    const request = send(url, { ...options, agent });
    request.on('error', (cause) => {
      reject(Object.assign(cause, { onReusedConnection: request.reusedSocket }));
    });
    request.on('response', resolve);
    // Without an answer or an error: a server that switches to another protocol unasked.
    request.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
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
    const cause = new Error('given up', { cause: signal.reason });
    if (answer === undefined) request.destroy(cause);
    else answer.destroy();
    // A request that still waits for a socket would hear of its end only with the next one that is free.
    onEnd(cause);
  };
  signal.addEventListener('abort', hangUp);
  request.on('close', () => signal.removeEventListener('abort', hangUp));
}

function isStale(cause: unknown): boolean {
  if (!(cause instanceof Error) || Reflect.get(cause, 'onReusedConnection') !== true) return false;
  return ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(cause, 'code')));
}
