import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { ClientCertificate, Connections } from '../admission/reaching/connections.ts';
import { goWords } from '../admission/reaching/go-words.ts';
import { endpointOf } from '../admission/reaching/service-endpoint.ts';
import type { Target } from '../admission/reaching/target.ts';
import type { Reading, User } from '../parts.ts';
import type { ApiService } from './api-service.ts';

export type Reaching = {
  readonly reading: Reading;
  readonly connections: Connections;
  /** Signed by the authority that `extension-apiserver-authentication` names; a server believes the headers only with it. */
  readonly frontProxy: ClientCertificate;
};

/** Where a group is served; `undefined` for one that is served here. */
export function targetFor({ service, ca }: ApiService, reading: Reading): Target | undefined {
  if (service === undefined) return undefined;
  const serverName = `${service.name}.${service.namespace}.svc`;
  const { port } = service;
  return {
    ...{ host: serverName, port, path: '/', ca, serverName },
    hostHeader: `${serverName}:${port}`,
    url: `https://${serverName}:${port}`,
    resolve: () => endpointOf(reading, service),
  };
}

/** The headers by which the server behind believes who asks. */
export function identityHeaders({ name, uid = '', groups, extra = {} }: User): readonly string[] {
  return [
    ...['X-Remote-User', name],
    ...(uid === '' ? [] : ['X-Remote-Uid', uid]),
    ...groups.flatMap((group) => ['X-Remote-Group', group]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.flatMap((value) => [`X-Remote-Extra-${encodeURIComponent(key)}`, value]),
    ),
  ];
}

export type Got =
  /** Without a body where it is no JSON: who answers lives. */
  | { readonly kind: 'got'; readonly body: JsonObject | undefined }
  | { readonly kind: 'failed'; readonly why: string };

const aggregator: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const checkMs = 5_000;

/** The server itself asks, with every right and without looking at the certificate: it only wants to know who lives. */
export async function got(
  apiService: ApiService,
  path: string,
  { reading, connections, frontProxy }: Reaching,
): Promise<Got> {
  const target = targetFor(apiService, reading);
  const endpoint = target?.resolve();
  if (target === undefined || endpoint?.kind !== 'at') {
    return { kind: 'failed', why: endpoint?.kind === 'nowhere' ? endpoint.why : 'it is local' };
  }
  const agent = connections.to(target, { isUnverified: true, own: frontProxy });
  const place = `${endpoint.host}:${endpoint.port}`;
  const headers = ['Host', place, ...identityHeaders(aggregator)];
  const url = `https://${place}${path}`;
  try {
    const signal = AbortSignal.timeout(checkMs);
    const { status, body } = await answered({ path, agent, headers, signal });
    if (status >= 200 && status <= 299) return { kind: 'got', body: objectIn(body) };
    return failing(url, `bad status from ${url}: ${status}`);
  } catch (cause: unknown) {
    return failing(url, `Get "${url}": ${goWords(cause, endpoint)}`);
  }
}

function failing(url: string, why: string): Got {
  return { kind: 'failed', why: `failing or missing response from ${url}: ${why}` };
}

async function answered(options: RequestOptions): Promise<{ status: number; body: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options).on('error', reject).on('response', resolve).end();
  });
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  return { status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
