import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { openStream, type StreamOptions } from '#shared/adapters/cluster/stream.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { Line, Scope, WatchEnd, Watching, WatchOptions } from '#shared/domain/watched.ts';
import { kubeconfigFor } from '../scripted-server.ts';

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

export type Served = {
  readonly stream: Stream;
  readonly requests: readonly IncomingMessage[];
  readonly url: string;
};

/** A stream from a server that answers as it is told to. */
export async function streamFrom(
  script: Script,
  options: Omit<StreamOptions, 'session'> & { readonly login?: (url: string) => Login } = {},
): Promise<Served> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    script(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { login = (server) => ({ kind: 'kubeconfig', path: kubeconfigFor(server) }), ...limits } =
    options;
  const session = await openSession(login(url));
  onTestFinished(() => {
    session.close();
    server.closeAllConnections();
    server.close();
  });
  return { stream: openStream({ session, ...limits }), requests, url };
}

export const maps: Scope = { kind: configMaps };
export const forever = new AbortController().signal;

export async function watching(
  stream: Stream,
  options: Partial<WatchOptions> = {},
  scope: Scope = maps,
): Promise<Watching> {
  const watch = await stream.watch(scope, {
    resourceVersion: '1',
    timeoutSeconds: 60,
    idleMs: 5_000,
    signal: forever,
    ...options,
  });
  if (watch.kind !== 'open') throw new Error(`no watch: ${JSON.stringify(watch)}`);
  onTestFinished(watch.close);
  return watch;
}

export type Heard = { readonly lines: readonly Line[]; readonly end: WatchEnd };

/** Everything up to the end. */
export async function heard(watch: Watching): Promise<Heard> {
  const lines: Line[] = [];
  for (;;) {
    const next = await watch.next();
    if (!isBatch(next)) return { lines, end: next };
    lines.push(...next);
  }
}

export function isBatch(next: readonly Line[] | WatchEnd): next is readonly Line[] {
  return Array.isArray(next);
}

/** A watch that says this, in these pieces, and ends. */
export function saying(...pieces: readonly (string | Buffer)[]): Script {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const [piece, ...rest] = pieces;
    const say = (next: string | Buffer | undefined, later: readonly (string | Buffer)[]) => {
      if (next === undefined) response.end();
      // A turn of the loop each, so that each arrives as a chunk of its own.
      else response.write(next, () => setImmediate(() => say(later[0], later.slice(1))));
    };
    say(piece, rest);
  };
}

export function added(name: string, data: Readonly<Record<string, unknown>> = {}): string {
  const metadata = { name, namespace: 'team-a', uid: name, resourceVersion: '7' };
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
  return JSON.stringify({ type: 'ADDED', object });
}

export function failing(code: number, reason = '', message = ''): string {
  const object = { kind: 'Status', status: 'Failure', code, reason, message };
  return JSON.stringify({ type: 'ERROR', object });
}

export function namesIn(lines: readonly Line[]): readonly (string | undefined)[] {
  return lines.map((line) => (line.kind === 'change' ? line.object.metadata.name : line.kind));
}
