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

/** It only wants to know who lives: with every right there, and without looking at the certificate. */
const checker: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const checking = { user: checker, isUnverified: true, limitMs: 5_000 };

export async function got(apiService: ApiService, path: string, reaching: Reaching): Promise<Got> {
  const endpoint = targetFor(apiService, reaching.reading)?.resolve();
  if (endpoint?.kind !== 'at') {
    return { kind: 'failed', why: endpoint?.kind === 'nowhere' ? endpoint.why : 'it is local' };
  }
  const url = `https://${endpoint.host}:${endpoint.port}${path}`;
  try {
    const { status, body } = await answerOf(apiService, { ...checking, path }, reaching);
    if (status >= 200 && status <= 299) return { kind: 'got', body: objectIn(body.toString()) };
    return failing(url, `bad status from ${url}: ${status}`);
  } catch (cause: unknown) {
    return failing(url, `Get "${url}": ${goWords(cause, endpoint)}`);
  }
}

function failing(url: string, why: string): Got {
  return { kind: 'failed', why: `failing or missing response from ${url}: ${why}` };
}

export type Ask = {
  readonly path: string;
  readonly user: User;
  readonly isUnverified: boolean;
  readonly headers?: readonly string[];
  readonly limitMs: number;
};

type Answered = { readonly status: number; readonly body: Buffer };

/** What this server itself asks of another. */
export async function answerOf(
  apiService: ApiService,
  { path, user, isUnverified, headers = [], limitMs }: Ask,
  { reading, connections, frontProxy }: Reaching,
): Promise<Answered> {
  const target = targetFor(apiService, reading);
  const endpoint = target?.resolve();
  if (target === undefined || endpoint?.kind !== 'at') throw new Error('it is nowhere');
  const place = `${endpoint.host}:${endpoint.port}`;
  return answered({
    path,
    agent: connections.to(target, { isUnverified, own: frontProxy }),
    headers: ['Host', place, ...headers, ...identityHeaders(user)],
    signal: AbortSignal.timeout(limitMs),
  });
}

/** The largest documents of real servers have a tenth of it. */
export const mostBytes = 32 * 1024 * 1024;

async function answered(options: RequestOptions): Promise<Answered> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options).on('error', reject).on('response', resolve).end();
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`it says more than ${mostBytes} bytes`);
    parts.push(part);
  }
  return { status: answer.statusCode ?? 0, body: Buffer.concat(parts) };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
