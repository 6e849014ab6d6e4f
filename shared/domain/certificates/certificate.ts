/** PEM, both. */
export type KeyPair = { readonly certificate: string; readonly key: string };

export type CertificateFacts = {
  /** Upper-case hexadecimal digits. */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Addresses as well, where it names some. */
  readonly dnsNames: readonly string[];
};

/** What can be said about certificates by looking at them. */
export type CertificateReader = {
  /** Facts of a certificate, the first where there are several; `undefined` where it is none. */
  read(certificate: string): CertificateFacts | undefined;
  /** Whether the key is the certificate's. Torn or foreign text is simply no match. */
  matches(pair: KeyPair): boolean;
  isIssuedBy(certificate: string, ca: string): boolean;
};

/** Intermediates of an issuer of one's own; more is a loop or a joke. */
const longestChain = 4;

/** Whether a client that trusts `authorities` accepts the leaf at the head of `chain`. */
export function isTrusted(
  reader: CertificateReader,
  chain: readonly string[],
  authorities: readonly string[],
): boolean {
  const [leaf, ...others] = chain.slice(0, longestChain);
  if (leaf === undefined) return false;
  if (authorities.some((authority) => reader.isIssuedBy(leaf, authority))) return true;
  return others.some(
    (issuer, index) =>
      reader.isIssuedBy(leaf, issuer) &&
      isTrusted(reader, [issuer, ...others.toSpliced(index, 1)], authorities),
  );
}
