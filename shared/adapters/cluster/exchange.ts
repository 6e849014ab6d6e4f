import { type IncomingMessage, request as plain } from 'node:http';
import type { RequestOptions } from 'node:https';
import { request as secure } from 'node:https';

export type Sent = {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

export type Received = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
};

/** One request and its whole answer, or an error: nothing arrives by halves. */
export async function exchange(sent: Sent): Promise<Received> {
  const answer = await answerOf(sent);
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'],
    text: await wholeText(answer, sent.maxBytes),
  };
}

function answerOf({ url, options, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? plain : secure;
    const request = send(url, { ...options, signal }, resolve);
    request.on('error', (cause) => {
      reject(Object.assign(cause, { staleConnection: isStale(cause, request.reusedSocket) }));
    });
    request.end(body);
  });
}

/** The server closed an idle connection in the moment that we took it up. */
function isStale(cause: Error, reused: boolean): boolean {
  return reused && 'code' in cause && cause.code === 'ECONNRESET';
}

async function wholeText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      answer.destroy();
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
