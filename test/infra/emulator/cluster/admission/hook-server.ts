import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '#shared/domain/json.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';

export type Received = {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly string[];
  readonly serverName: string | undefined;
  readonly connection: number;
  readonly review: JsonObject;
  readonly request: JsonObject;
};

export type HookServer = {
  readonly port: number;
  /** As a `caBundle` has it. */
  readonly caBundle: string;
  readonly received: readonly Received[];
  /** What a path answers: the `response` of its review, or something else altogether. */
  on(path: string, answer: Answer): void;
  /** Ends idle connections, as a server that restarts. */
  dropConnections(): void;
  close(): Promise<void>;
};

export type Answer = (received: Received, raw: ServerResponse) => JsonObject | undefined;

const ca = makeCa();

/** Webhooks on loopback, with a certificate of `gatehouse-webhook.gatehouse-system.svc` and what is named beside. */
export async function hookServer(...names: readonly string[]): Promise<HookServer> {
  const { certificate, key } = await makeLeaf(await ca, 'localhost', ...names);
  const answers = new Map<string, Answer>();
  const received: Received[] = [];
  const connections = new Map<unknown, number>();
  const server = createServer({ cert: certificate, key }, (request, response) => {
    handle(request, response).catch((cause: unknown) => response.destroy(cause as Error));
  });
  async function handle(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const connection = connections.get(request.socket) ?? connections.size + 1;
    connections.set(request.socket, connection);
    const one = receivedFrom(request, Buffer.concat(parts).toString(), connection);
    received.push(one);
    const answer = answers.get(one.path)?.(one, response);
    if (answer === undefined) return;
    const { apiVersion, kind } = one.review;
    const whole = { allowed: true, uid: one.request['uid'], ...answer };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion, kind, response: whole }));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from((await ca).certificate).toString('base64'),
    received,
    on: (path, answer) => answers.set(path, answer),
    dropConnections: () => server.closeIdleConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function receivedFrom(request: IncomingMessage, body: string, connection: number): Received {
  const review = body === '' ? {} : JSON.parse(body);
  return {
    path: (request.url ?? '').split('?')[0] ?? '',
    method: `${request.method} ${request.url}`,
    headers: request.rawHeaders,
    serverName: (request.socket as TLSSocket & { servername?: string }).servername,
    connection,
    review,
    request: review.request ?? {},
  };
}

export function jsonPatch(...operations: readonly JsonObject[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { patchType: 'JSONPatch', patch };
}
