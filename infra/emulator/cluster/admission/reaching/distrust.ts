import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export type Shown = {
  readonly certificate: X509Certificate;
  /** What OpenSSL has against its chain; of names and times it is not asked. */
  readonly code: string | undefined;
};

/** Why Go does not believe a server that it asked for by this name; `undefined` where it does. */
export function distrustOf({ certificate, code }: Shown, name: string): string | undefined {
  const why = untimely(certificate) ?? misnamed(certificate, name) ?? unchained(code);
  return why === undefined ? undefined : `tls: failed to verify certificate: x509: ${why}`;
}

function untimely({ validFromDate, validToDate }: X509Certificate): string | undefined {
  const now = new Date();
  if (now >= validFromDate && now <= validToDate) return undefined;
  const bound =
    now < validFromDate ? `before ${goTime(validFromDate)}` : `after ${goTime(validToDate)}`;
  return `certificate has expired or is not yet valid: current time ${goTime(now)} is ${bound}`;
}

function goTime(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The name of the subject counts for nothing. */
function misnamed(certificate: X509Certificate, name: string): string | undefined {
  const names = alternativesOf(certificate);
  if (isIP(name) !== 0) {
    if (certificate.checkIP(name) !== undefined) return undefined;
    return names.addresses.length === 0
      ? `cannot validate certificate for ${name} because it doesn't contain any IP SANs`
      : `certificate is valid for ${names.addresses.join(', ')}, not ${name}`;
  }
  if (certificate.checkHost(name, { subject: 'never' }) !== undefined) return undefined;
  if (names.hosts.length > 0)
    return `certificate is valid for ${names.hosts.join(', ')}, not ${name}`;
  return names.addresses.length === 0 && certificate.checkHost(name) !== undefined
    ? 'certificate relies on legacy Common Name field, use SANs instead'
    : `certificate is not valid for any names, but wanted to match ${name}`;
}

function alternativesOf({ subjectAltName = '' }: X509Certificate) {
  const all = subjectAltName.split(', ');
  const after = (mark: string) =>
    all.filter((each) => each.startsWith(mark)).map((each) => each.slice(mark.length));
  return { hosts: after('DNS:'), addresses: after('IP Address:') };
}

/** Each of the chain may be out of its time, which OpenSSL sees first. */
function unchained(code: string | undefined): string | undefined {
  if (code === undefined || code === 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  if (code === 'INVALID_PURPOSE') return 'certificate specifies an incompatible key usage';
  return 'certificate signed by unknown authority';
}
