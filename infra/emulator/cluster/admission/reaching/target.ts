import type { JsonObject } from '#shared/domain/json.ts';
import { inside, text } from '../../access/stated.ts';
import type { Reading } from '../../parts.ts';
import { type Endpoint, endpointOf } from './service-endpoint.ts';

/** Where a `clientConfig` points. A service is resolved at each dial, so that a connection outlives a change of its endpoints. */
export type Target = {
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  /** With its port, where one is stated. */
  readonly hostHeader: string;
  /** As errors show it. */
  readonly url: string;
  readonly serverName: string;
  /** PEM; without one the system's authorities count. */
  readonly ca: string | undefined;
  resolve(): Endpoint;
};

/** `undefined` for one that names no place at all. */
export function targetOf(clientConfig: JsonObject, reading: Reading): Target | undefined {
  const { service, url, caBundle } = clientConfig;
  const ca = text(caBundle) === '' ? undefined : Buffer.from(text(caBundle), 'base64').toString();
  if (typeof url === 'string') return byUrl(url, ca);
  return service === undefined ? undefined : byService(inside(service), ca, reading);
}

function byUrl(stated: string, ca: string | undefined): Target | undefined {
  const url = URL.parse(stated);
  if (url === null) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || 443);
  return {
    ...{ host, port, ca, serverName: host },
    path: url.pathname,
    hostHeader: url.host,
    url: `https://${url.host}${url.pathname}`,
    resolve: () => ({ kind: 'at', host, port }),
  };
}

function byService(service: JsonObject, ca: string | undefined, reading: Reading): Target {
  const [namespace, name] = [text(service['namespace']), text(service['name'])];
  const port = typeof service['port'] === 'number' ? service['port'] : 443;
  const path = `/${text(service['path']).replace(/^\//, '')}`;
  const serverName = `${name}.${namespace}.svc`;
  return {
    ...{ host: serverName, port, path, ca, serverName },
    hostHeader: `${serverName}:${port}`,
    url: `https://${serverName}:${port}${path}`,
    resolve: () => endpointOf(reading, { namespace, name, port }),
  };
}
