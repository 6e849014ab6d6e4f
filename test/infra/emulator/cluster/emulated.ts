import { afterAll } from 'vitest';
import {
  type EmulatedCluster,
  type EmulatedClusterOptions,
  emulatedCluster,
} from '#infra/emulator/cluster/emulated-cluster.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
};

export type Call = {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Client = {
  readonly cluster: EmulatedCluster;
  /** As the admin: `ask('POST /api/v1/namespaces', { body })`. */
  ask(what: string, call?: Call): Promise<Answer>;
  /** A namespace of its own, with the account that pods run as. */
  namespace(): Promise<string>;
};

/** A cluster for all tests of a file. */
export async function emulated(options: EmulatedClusterOptions = {}): Promise<Client> {
  const client = await openClient(options);
  afterAll(() => client.cluster.close());
  return client;
}

export async function openClient(options: EmulatedClusterOptions): Promise<Client> {
  const cluster = await emulatedCluster({ plainPort: 0, ...options });
  const token = tokenIn(cluster.tokenKubeconfig);
  let count = 0;
  const ask: Client['ask'] = (what, call = {}) => asked(cluster, { what, token, call });
  return {
    cluster,
    ask,
    async namespace() {
      count += 1;
      const name = `test-${count}`;
      await ask('POST /api/v1/namespaces', { body: { metadata: { name } } });
      const account = { metadata: { name: 'default' } };
      await ask(`POST /api/v1/namespaces/${name}/serviceaccounts`, { body: account });
      return name;
    },
  };
}

function tokenIn(kubeconfig: string): string {
  const { users } = JSON.parse(kubeconfig) as {
    readonly users: readonly [{ readonly user: { readonly token: string } }];
  };
  return users[0].user.token;
}

type Asked = { readonly what: string; readonly token: string; readonly call: Call };

async function asked({ plainUrl }: EmulatedCluster, { what, token, call }: Asked): Promise<Answer> {
  const [method = '', path = ''] = what.split(' ');
  const { body, type = 'application/json', accept, headers = {} } = call;
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const response = await fetch(`${plainUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': type }),
      ...(accept !== undefined && { accept }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: objectIn(text) };
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function configMap(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data: { x: '1' } };
}

export function pod(name: string, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', image: 'registry.example/a' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

export const mergePatch = 'application/merge-patch+json';
