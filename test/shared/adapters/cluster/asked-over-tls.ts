import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { forever, maps } from './stream/streaming-server.ts';

export const ca = await makeCa();
const leaf = await makeLeaf(ca, 'localhost');

const target = { kind: namespaces, name: 'default' };
export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** An API server over TLS that knows one token, or whoever has a certificate of our CA. Its watches stay open. */
export async function apiServer(state: { token: string }) {
  const seen: string[] = [];
  const options = { cert: leaf.certificate, key: leaf.key, ca: ca.certificate };
  const server = createServer(
    { ...options, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const who = whoAsks(request);
      seen.push(who);
      if (who !== state.token && !who.startsWith('certificate ')) {
        response.writeHead(401).end('{"kind":"Status","reason":"Unauthorized"}');
      } else if (request.url?.includes('watch=true')) {
        response.writeHead(200).write('\n');
      } else {
        const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
        response.end(JSON.stringify(object));
      }
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, state, port, url: `https://localhost:${port}` };
}

/** Our leaves are of servers, which TLS takes for no client: whose a certificate is, is judged here. */
function whoAsks({ headers, socket }: IncomingMessage): string {
  const shown = (socket as TLSSocket).getPeerX509Certificate();
  const isOurs = shown?.verify(new X509Certificate(ca.certificate).publicKey);
  if (isOurs === true) return `certificate ${shown?.serialNumber}`;
  return headers.authorization?.replace('Bearer ', '') ?? 'nobody';
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-credentials-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Its text. */
export function kubeconfigOf(server: string, user: object): string {
  const cluster = { server, 'certificate-authority-data': base64(ca.certificate) };
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** By a client and by a stream of that login. */
export async function asking(login: Login, deadlineMs = 10_000) {
  const cluster = await openCluster({ login, deadlineMs });
  const session = await openSession(login);
  onTestFinished(() => {
    cluster.close();
    session.close();
  });
  const stream = openStream({ session });
  const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: 10_000, signal: forever };
  return {
    find: () => cluster.find(target),
    watch: async () => {
      const watch = await stream.watch(maps, options);
      if (watch.kind === 'open') onTestFinished(watch.close);
      return watch.kind;
    },
  };
}
