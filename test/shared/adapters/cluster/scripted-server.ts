import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type ClusterOptions,
  type OpenCluster,
  openCluster,
} from '#shared/adapters/cluster/open-cluster.ts';

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

export type Scripted = { readonly cluster: OpenCluster; readonly requests: readonly string[] };

/** An API server that answers as it is told to, and a live adapter that asks it. */
export async function clusterOf(
  script: Script,
  options: Omit<ClusterOptions, 'login'> = {},
): Promise<Scripted> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    script(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const path = kubeconfigFor(`http://127.0.0.1:${port}/behind/a/proxy/`);
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path }, ...options });
  onTestFinished(() => {
    cluster.close();
    server.closeAllConnections();
    server.close();
  });
  return { cluster, requests };
}

export function kubeconfigFor(server: string, user: object = { token: 'a-token' }): string {
  const path = join(mkdtempSync(join(tmpdir(), 'gatehouse-kubeconfig-')), 'kubeconfig');
  const cluster = { server, 'insecure-skip-tls-verify': true };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

export function answering(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Script {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** As the API server says no. */
export function refusing(
  code: number,
  {
    reason = '',
    message = '',
    details = {},
  }: { reason?: string; message?: string; details?: object },
  headers: Record<string, string> = {},
): Script {
  const status = { kind: 'Status', status: 'Failure', code, reason, message, details };
  return answering(code, status, headers);
}

/** One script a request, the last one for all that follow. */
export function inTurn(...scripts: readonly Script[]): Script {
  let turn = 0;
  return (request, response) => {
    const script = scripts[Math.min(turn, scripts.length - 1)];
    turn += 1;
    script?.(request, response);
  };
}
