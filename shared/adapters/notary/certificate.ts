import { type KeyObject, X509Certificate } from 'node:crypto';
import { fromBase64 } from '#shared/domain/image-trust/tuf/bytes.ts';
import { type CertificateFacts, isInForce, type Key } from '#shared/domain/image-trust/tuf/key.ts';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** A leaf and what leads to its authority; each costs a parse. */
const mostCertificates = 8;

/** Leaf first. None where one of them cannot be read: the rest would be another chain than the one that was meant. */
export function certificatesOf({ type, public: text }: Key): readonly X509Certificate[] {
  const bytes = type.endsWith('-x509') ? fromBase64(text) : undefined;
  const blocks = bytes === undefined ? [] : blocksIn(Buffer.from(bytes).toString('latin1'));
  if (blocks.length > mostCertificates) return [];
  const parsed = blocks.map(parse);
  return parsed.every((each) => each !== undefined) ? parsed : [];
}

/** Of an algorithm or a curve that nobody here knows, nothing: whoever sends a certificate chooses what stands in it. */
export function publicKeyOf(certificate: X509Certificate | undefined): KeyObject | undefined {
  try {
    return certificate?.publicKey;
  } catch {
    // It is read when it is asked for, and refused then.
    return undefined;
  }
}

export function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    commonName: commonNameOf(certificate),
    isAuthority: certificate.ca,
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
    isWeak: /sha-?1|md[245]/i.test(certificate.signatureAlgorithm ?? ''),
  };
}

/**
 * By what the chain itself carries, each link signed by the next and in force then: until the first of these authorities
 * ends. The leaf's own dates are the caller's.
 */
export function leadsUntil(
  chain: readonly X509Certificate[],
  pem: string,
  when: Date | undefined,
): Date | undefined {
  const end = parse(pem);
  const [leaf, ...others] = chain;
  if (end === undefined || leaf === undefined) return undefined;
  if (leaf.fingerprint256 === end.fingerprint256) return end.validToDate;
  const counts = (authority: X509Certificate) => isInForce(factsOf(authority), when);
  return counts(end) ? wayUntil(leaf, end, others.filter(counts)) : undefined;
}

/** By the first that issued it, whatever others did: to try each way would take as long as whoever sends them likes. */
function wayUntil(
  from: X509Certificate,
  end: X509Certificate,
  others: readonly X509Certificate[],
): Date | undefined {
  if (isIssuedBy(from, end)) return end.validToDate;
  const next = others.find((each) => isIssuedBy(from, each));
  if (next === undefined) return undefined;
  const rest = others.filter((each) => each !== next);
  const until = wayUntil(next, end, rest);
  return until === undefined || until < next.validToDate ? until : next.validToDate;
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  if (!authority.ca || !certificate.checkIssued(authority)) return false;
  try {
    return certificate.verify(authority.publicKey);
  } catch {
    // A key of another kind than the signature's.
    return false;
  }
}

function blocksIn(pem: string): readonly string[] {
  return [...pem.matchAll(block)].map(([found]) => found);
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // Whatever stands there is no certificate.
    return undefined;
  }
}

/** A certificate may lack a subject, whatever the types say. */
type Named = Partial<Pick<X509Certificate, 'subject'>>;

/** The last one, where there are several: that is the one that Go, and so upstream, takes. */
function commonNameOf({ subject = '' }: Named): string {
  const names = subject.split('\n').filter((line) => line.startsWith('CN='));
  return names.at(-1)?.slice('CN='.length) ?? '';
}
