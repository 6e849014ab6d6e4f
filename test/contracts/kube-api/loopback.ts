import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { KeyPair } from '#shared/ports.ts';
import { makeCa, makeExpiredLeaf, makeLeaf } from '#test/support/tls.ts';
import type { Hook } from './case.ts';

/** What has come to a path, as a case looks at it. */
export type Asked = {
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly serverName: unknown;
  readonly body: unknown;
};

/** One HTTPS server for the webhooks and aggregated APIs of all cases. */
export type Loopback = {
  readonly port: number;
  /** PEM */
  readonly ca: string;
  /** A path that starts as `//backend.default.svc/` is of one of the names that the server is called by. */
  set(path: string, hook: Hook): void;
  asked(path: string): readonly Asked[];
  /** What has come to any path of this namespace. */
  forget(namespace: string): void;
  close(): Promise<void>;
};

export async function openLoopback(): Promise<Loopback> {
  const hooks = new Map<string, Hook>();
  const heard: Asked[] = [];
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, 'localhost', '127.0.0.1');
  const contexts = new Map<string, Promise<SecureContext>>();
  // An aggregated API is called by the name of its service.
  const contextFor = async (name: string) => {
    const { key, certificate } = await leafFor(ca, name);
    return createSecureContext({ key, cert: certificate });
  };
  const server = createServer(
    {
      key: leaf.key,
      cert: leaf.certificate,
      SNICallback(name, done) {
        const context = contexts.get(name) ?? contextFor(name);
        contexts.set(name, context);
        context.then((made) => done(null, made), done);
      },
    },
    (request, response) => {
      answer({ hooks, heard }, request, response).catch((cause: unknown) => {
        response.destroy(cause instanceof Error ? cause : new Error(String(cause)));
      });
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: ca.certificate,
    set: (path, hook) => void hooks.set(path, hook),
    asked: (path) => heard.filter((each) => each.path === path || fullPath(each) === path),
    forget(namespace) {
      const others = heard.filter(({ path }) => !path.startsWith(`/${namespace}/`));
      heard.splice(0, heard.length, ...others);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function hookAt(hooks: Heard['hooks'], at: Pick<Asked, 'serverName' | 'path'>): Hook | undefined {
  return hooks.get(fullPath(at)) ?? hooks.get(at.path);
}

function fullPath({ serverName, path }: Pick<Asked, 'serverName' | 'path'>): string {
  return `//${String(serverName)}${path}`;
}

/** A service that is called so shows a certificate that has expired, or another's. */
function leafFor(ca: KeyPair, name: string): Promise<KeyPair> {
  if (name.startsWith('expired.')) return makeExpiredLeaf(ca, name);
  return makeLeaf(ca, name.startsWith('stranger.') ? 'somebody.else' : name);
}

type Heard = { readonly hooks: ReadonlyMap<string, Hook>; readonly heard: Asked[] };

async function answer(
  { hooks, heard }: Heard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const body =
    request.method === 'GET' || request.method === 'DELETE' ? undefined : await json(request);
  const serverName = Reflect.get(request.socket, 'servername');
  heard.push({ path, query, headers: request.headers, serverName, body });
  const hook = hookAt(hooks, { serverName, path });
  const times = heard.filter((each) => each.path === path).length;
  if (times <= (hook?.busyTimes ?? 0)) {
    response.writeHead(503, { 'retry-after': '0' }).end();
    return;
  }
  if (hook?.delayMs !== undefined) await sleep(hook.delayMs);
  const code = hook === undefined ? 404 : (hook.code ?? 200);
  response.writeHead(code, { 'content-type': 'application/json', ...hook?.headers });
  response.end(hook?.raw ?? JSON.stringify(hook === undefined ? {} : replyOf(hook, body)));
}

function replyOf({ answer, response, convert }: Hook, body: unknown): unknown {
  if (answer !== undefined) return answer;
  const { apiVersion, kind, request } = body as Review;
  const { uid } = request;
  if (convert !== undefined) {
    const convertedObjects = request.objects?.map((object) =>
      converted(object, request.desiredAPIVersion ?? '', convert),
    );
    return { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } };
  }
  const { patch, ...more } = response ?? {};
  const patched =
    patch === undefined
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return { apiVersion, kind, response: { uid, ...patched, ...more } };
}

type Review = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly objects?: readonly Custom[];
    readonly desiredAPIVersion?: string;
  };
};

type Custom = { readonly apiVersion: string; readonly spec?: Readonly<Record<string, unknown>> };

/** The value stays, its field gets the name of the other version. */
function converted(object: Custom, wanted: string, names: Readonly<Record<string, string>>) {
  const [from = '', to = ''] = [object.apiVersion, wanted].map(
    (version) => names[version.split('/')[1] ?? ''],
  );
  const { [from]: value, ...rest } = object.spec ?? {};
  return { ...object, apiVersion: wanted, spec: { ...rest, [to]: value } };
}
