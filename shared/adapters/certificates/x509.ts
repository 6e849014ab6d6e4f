import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Certificates, KeyPair } from '#shared/ports.ts';

/** P-256 certificates. Issuing is rare and its library heavy: it is loaded when it is first asked for. */
export function openCertificates(): Certificates {
  return {
    issueCa: async (options) => (await import('./issue.ts')).issueCa(options),
    issueLeaf: async (options) => (await import('./issue.ts')).issueLeaf(options),
    read: (certificate) => {
      const parsed = parse(certificate);
      return (
        parsed && {
          serial: parsed.serialNumber,
          notBefore: parsed.validFromDate,
          notAfter: parsed.validToDate,
          dnsNames: namesOf(parsed),
        }
      );
    },
    matches,
    isIssuedBy: (certificate, ca) => {
      const [issued, issuer] = [parse(certificate), parse(ca)];
      if (issued === undefined || issuer === undefined) return false;
      return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
    },
  };
}

function parse(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate);
  } catch {
    // Whatever stands there is no certificate; what that means is the caller's to say.
    return undefined;
  }
}

function matches({ certificate, key }: KeyPair): boolean {
  try {
    return parse(certificate)?.checkPrivateKey(createPrivateKey(key)) ?? false;
  } catch {
    // No key at all.
    return false;
  }
}

function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = '']) => name);
}
