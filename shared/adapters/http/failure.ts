import {
  type OutsideRefused,
  type OutsideUnavailable,
  refused,
  unavailable,
} from '#shared/domain/outside.ts';
import { isBlocked } from './guarded-lookup.ts';

/** Everything that an exchange can end with beside an answer. Nothing is thrown on. */
export function failureOf(
  cause: unknown,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): OutsideRefused | OutsideUnavailable {
  const { host } = url;
  if (isBlocked(cause)) return refused('address', cause.message);
  if (signal.aborted) {
    return isLate(signal) ? unavailable('too-slow', host) : unavailable('given-up', host);
  }
  const code = codeOf(cause);
  const about = `${host}: ${code === '' ? 'no answer' : code}`;
  if (code === 'HPE_HEADER_OVERFLOW') return refused('too-large', about);
  if (code.startsWith('HPE_')) return refused('malformed', about);
  if (/^ERR_(INVALID_CHAR|UNESCAPED_CHARACTERS|INVALID_URL)/.test(code)) {
    return refused('bad-url', about);
  }
  return unavailable(outageOf(code), about);
}

function outageOf(code: string) {
  if (/^(ENOTFOUND|EAI_|EDNS|ENODATA)/.test(code)) return 'no-address';
  if (/^(ERR_TLS_|ERR_SSL_|EPROTO|UNABLE_TO_)|CERT|CRL/.test(code)) return 'tls';
  return /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|EPIPE)$/.test(code)
    ? 'broken-off'
    : 'no-connection';
}

function isLate({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

function codeOf(cause: unknown): string {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}
