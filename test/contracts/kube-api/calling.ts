import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { Agent, type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Place } from './place.ts';

export type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | undefined;
};

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type Caller = {
  call(call: Call): Promise<Reply>;
  callHttp2(call: Call): Promise<Reply>;
  /** The events of a watch: as many as are asked for, or all until it ends. */
  watch(call: Call, takes: number | undefined): Promise<Reply>;
  close(): void;
};

const patienceMs = 30_000;

export function openCaller({ url, ca }: Pick<Place, 'url' | 'ca'>): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca });
  const send = ({ method, path, headers, body }: Call) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { agent, method, headers: { ...headers, ...length }, timeout: patienceMs };
    return sent(new URL(`${url}${path}`), options, body);
  };
  return {
    async call(call) {
      const answer = await send(call);
      const isZipped = answer.headers['content-encoding'] === 'gzip';
      const said = await text(isZipped ? answer.pipe(createGunzip()) : answer);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: said };
    },
    callHttp2: (call) => overHttp2({ url, ca }, call),
    async watch(call, takes) {
      const answer = await send(call);
      const status = answer.statusCode ?? 0;
      if (status !== 200) return { status, headers: answer.headers, text: await text(answer) };
      return { status, headers: answer.headers, text: await lines(answer, takes) };
    },
    close: () => agent.destroy(),
  };
}

function sent(url: URL, options: RequestOptions, body: string | undefined) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, options, resolve);
  asked.on('timeout', () => asked.destroy(new Error(`${options.method} ${url.href}: no answer`)));
  asked.on('error', reject);
  asked.end(body);
  return promise;
}

async function lines(answer: IncomingMessage, takes: number | undefined): Promise<string> {
  const taken: string[] = [];
  for await (const line of createInterface({ input: answer })) {
    taken.push(line);
    if (taken.length === takes) break;
  }
  answer.destroy();
  return taken.join('\n');
}

async function overHttp2(place: Pick<Place, 'url' | 'ca'>, call: Call): Promise<Reply> {
  const session = connect(place.url, { ca: place.ca });
  try {
    const stream = session.request({
      ':method': call.method,
      ':path': call.path,
      ...call.headers,
    } as OutgoingHttpHeaders);
    const [headers] = (await once(stream.end(call.body), 'response')) as [IncomingHttpHeaders];
    return { status: Number(headers[':status']), headers, text: await text(stream) };
  } finally {
    session.close();
  }
}
