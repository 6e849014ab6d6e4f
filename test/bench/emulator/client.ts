import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent, request } from 'node:https';
import type { ApiServer } from './servers.ts';

export type Client = {
  /** The bytes of the answer; anything but a success throws. */
  ask(method: string, path: string, body?: object): Promise<number>;
  close(): void;
};

/** As Go's client without h2: connections that are kept. */
export function openClient({ url, ca, token }: ApiServer, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    ask: (method, path, body) =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}${path}`, { method, agent, headers }, (answer) => {
          let bytes = 0;
          let text = '';
          const isGood = (answer.statusCode ?? 0) < 300;
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (!isGood) text += chunk.toString();
          });
          answer.on('end', () =>
            isGood ? resolve(bytes) : reject(new Error(`${method} ${path}: ${text.slice(0, 500)}`)),
          );
          answer.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

/** So many streams a connection; a Go server takes 250. */
const streamsEach = 100;

/** Watches of one path, each told of through `onEvent` when a line has come. */
export async function openWatches(
  { url, ca, token }: ApiServer,
  { path, count, onEvent }: { readonly path: string; readonly count: number; onEvent(): void },
): Promise<() => void> {
  const sessions: ClientHttp2Session[] = [];
  const opened: Promise<void>[] = [];
  for (let at = 0; at < count; at += 1) {
    if (at % streamsEach === 0) sessions.push(connect(url, { ca }));
    const stream = sessions.at(-1)?.request({ ':path': path, authorization: `Bearer ${token}` });
    if (stream === undefined) continue;
    opened.push(new Promise((resolve) => stream.once('response', () => resolve())));
    stream.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === newline) onEvent();
    });
  }
  await Promise.all(opened);
  return () => {
    for (const session of sessions) session.destroy();
  };
}

const newline = 10;
