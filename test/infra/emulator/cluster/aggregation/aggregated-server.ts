import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { makeCa, makeLeaf } from '#test/support/tls.ts';

export type AggregatedServer = {
  readonly port: number;
  readonly caBundle: string;
  /** The names of the clients' certificates, as far as TLS has verified them. */
  readonly clients: readonly (string | undefined)[];
  /** Who has asked for its discovery. */
  readonly checkers: readonly string[];
  on(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
};

export const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'things.example.com/v1',
  resources: [
    {
      name: 'things',
      singularName: 'thing',
      namespaced: true,
      kind: 'Thing',
      verbs: ['get'],
      shortNames: ['th'],
    },
    { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] },
  ],
};

/** An API server of a group of its own, that believes the front proxy of one authority. */
export async function aggregatedServer(frontProxyCa: string): Promise<AggregatedServer> {
  const ca = await makeCa();
  const { certificate, key } = await makeLeaf(ca, 'things.default.svc');
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const clients: (string | undefined)[] = [];
  const tls = {
    cert: certificate,
    key,
    ca: frontProxyCa,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(tls, (request, response) => {
    const socket = request.socket as TLSSocket;
    const name = socket.getPeerCertificate().subject?.CN;
    clients.push(socket.authorized && typeof name === 'string' ? name : undefined);
    const answer = answers.get((request.url ?? '').split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const checkers: string[] = [];
  answers.set('/apis/things.example.com/v1', ({ headers }, response) => {
    checkers.push(`${headers['x-remote-user']} of ${headers['x-remote-group']}`);
    response.end(JSON.stringify(resourceList));
  });
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(ca.certificate).toString('base64'),
    clients,
    checkers,
    on: (path, answer) => answers.set(path, answer),
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
