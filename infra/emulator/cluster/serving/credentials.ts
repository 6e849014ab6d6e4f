import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Credentials } from '../parts.ts';

type Certificate = NonNullable<Credentials['certificate']>;

/** A certificate is read once a connection, and not with each of its requests. */
const certificates = new WeakMap<object, { readonly found: Certificate | undefined }>();

export function credentialsOf(request: IncomingMessage): Credentials {
  const { headers, socket } = request;
  return {
    authorization: headers.authorization,
    certificate: certificateOf(socket),
    impersonate: impersonated(request),
  };
}

function certificateOf(socket: IncomingMessage['socket']): Certificate | undefined {
  if (!('getPeerCertificate' in socket) && !('encrypted' in socket)) return undefined;
  const known = certificates.get(socket);
  if (known !== undefined) return known.found;
  const found = readFrom(socket as TLSSocket);
  certificates.set(socket, { found });
  return found;
}

/** Of one that the CA did not sign nothing is believed. */
function readFrom(socket: TLSSocket): Certificate | undefined {
  if (typeof socket.getPeerCertificate !== 'function' || !socket.authorized) return undefined;
  const { subject, fingerprint256 = '' } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const { CN, O = [] } = subject as {
    readonly CN?: string;
    readonly O?: string | readonly string[];
  };
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
  return { CN: CN ?? '', O: typeof O === 'string' ? [O] : O, fingerprint };
}

const prefix = 'impersonate-';

function impersonated({ headers, rawHeaders }: IncomingMessage): Credentials['impersonate'] {
  const found: Record<string, string[]> = {};
  if (headers === undefined || !Object.keys(headers).some((name) => name.startsWith(prefix)))
    return found;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!name.startsWith(prefix)) continue;
    const values = found[name] ?? [];
    values.push(rawHeaders[at + 1] ?? '');
    found[name] = values;
  }
  return found;
}
