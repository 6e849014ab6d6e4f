import type { Target } from './target.ts';

/** The words that a Go client has for what Node says of a failed connection. */
export function goWords(cause: unknown, { host, port }: Pick<Target, 'host' | 'port'>): string {
  const { code = '', message, address, port: dialed } = factsOf(cause);
  const place = `${address ?? host}:${dialed ?? port}`;
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: `dial tcp ${place}: connect: connection refused`,
    EHOSTUNREACH: `dial tcp ${place}: connect: no route to host`,
    ETIMEDOUT: `dial tcp ${place}: connect: connection timed out`,
    ENOTFOUND: `dial tcp: lookup ${host}: no such host`,
    EAI_AGAIN: `dial tcp: lookup ${host}: server misbehaving`,
    ECONNRESET: 'EOF',
    EPIPE: 'write: broken pipe',
  };
  if (/wrong version number|packet length too long|http request/.test(message)) return noTls;
  return known[code] ?? certificateWords(code, message) ?? message;
}

const noTls = 'http: server gave HTTP response to HTTPS client';

/** A request that ran out of its time. */
export const outOfTime = 'context deadline exceeded';

type Facts = {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  readonly port?: number;
};

function factsOf(cause: unknown): Facts {
  return cause instanceof Error ? cause : { message: String(cause) };
}

const unknownAuthority = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
];

function certificateWords(code: string, message: string): string | undefined {
  const why = x509Words(code, message);
  return why === undefined ? undefined : `tls: failed to verify certificate: x509: ${why}`;
}

function x509Words(code: string, message: string): string | undefined {
  if (unknownAuthority.includes(code)) return 'certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return 'certificate has expired or is not yet valid';
  }
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? wrongName(message) : undefined;
}

/** `… Host: a. is not in the cert's altnames: DNS:b, IP Address:c`, or `… IP: a is not in the cert's list: b` */
function wrongName(message: string): string {
  const {
    what,
    asked,
    names = '',
  } = /(?<what>Host|IP): (?<asked>\S+?)\.? is not .*?(?:altnames|list): ?(?<names>.*)$/.exec(
    message,
  )?.groups ?? {};
  const stated = names
    .split(', ')
    .filter((name) => what === 'IP' || name.startsWith('DNS:'))
    .map((name) => name.replace('DNS:', ''));
  return `certificate is valid for ${stated.join(', ')}, not ${asked}`;
}
