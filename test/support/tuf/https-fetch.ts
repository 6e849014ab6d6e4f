import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Fetch, FetchReply, FetchRequest } from '#shared/adapters/notary/fetch.ts';

/** The port on Node's own client: no pool, no guard. `ca` is the only authority, where it is given. */
export function httpsFetch(ca?: string): Fetch {
  return (asked) =>
    new Promise((resolve) => {
      const { url, headers, signal } = asked;
      const failed = () => resolve({ kind: signal.aborted ? 'timeout' : 'unreachable' });
      const options = { headers, signal, agent: false };
      const onAnswer = (answer: IncomingMessage) => {
        answer.on('error', failed);
        read(answer, asked, request).then(resolve, failed);
      };
      const request: ClientRequest =
        url.protocol === 'http:'
          ? plain(url, options, onAnswer)
          : secure(url, ca === undefined ? options : { ...options, ca }, onAnswer);
      request.on('error', failed);
      request.end();
    });
}

async function read(
  answer: IncomingMessage,
  { maxBytes }: FetchRequest,
  request: ClientRequest,
): Promise<FetchReply> {
  const status = answer.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > maxBytes) {
      request.destroy();
      return { kind: 'too-large', status };
    }
    chunks.push(chunk);
  }
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
  return { kind: 'answer', status, headers, body: Buffer.concat(chunks) };
}
