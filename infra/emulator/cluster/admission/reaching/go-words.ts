import { malformed } from './go-http.ts';
import type { Target } from './target.ts';

/** The words that a Go client has for what Node says of a failed connection. */
export function goWords(cause: unknown, { host, port }: Pick<Target, 'host' | 'port'>): string {
  const { code = '', message, address = host, port: dialed, rawPacket } = factsOf(cause);
  const place = `${address.includes(':') ? `[${address}]` : address}:${dialed ?? port}`;
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
  if (code.startsWith('HPE_') && rawPacket !== undefined) return malformed(rawPacket);
  return alertWords(message) ?? known[code] ?? message;
}

const noTls = 'http: server gave HTTP response to HTTPS client';

/** Of an answer's body that breaks off, or is not what it says. */
export function lostWords(cause: unknown): string {
  const { code = '', message } = factsOf(cause);
  if (code === 'Z_DATA_ERROR' && message.includes('header')) return 'gzip: invalid header';
  return ['Z_BUF_ERROR', 'ECONNRESET'].includes(code) ? 'unexpected EOF' : message;
}

/** A request that ran out of its time. */
export const outOfTime = 'context deadline exceeded';

type Facts = {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  readonly port?: number;
  /** What Node could not read. */
  readonly rawPacket?: Buffer;
};

function factsOf(cause: unknown): Facts {
  return cause instanceof Error ? cause : { message: String(cause) };
}

/** What the other side says when it hangs up, by its number. */
function alertWords(message: string): string | undefined {
  const [, number = ''] = /SSL alert number (\d+)/.exec(message) ?? [];
  return number === '' ? undefined : `remote error: tls: ${alerts[number] ?? `alert(${number})`}`;
}

const alerts: Readonly<Record<string, string>> = {
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  112: 'unrecognized name',
  116: 'certificate required',
  120: 'no application protocol',
};
