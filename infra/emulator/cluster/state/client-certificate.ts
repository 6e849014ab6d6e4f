import { createPrivateKey, webcrypto } from 'node:crypto';
// First: the library refuses to load without it.
import '#shared/adapters/certificates/reflection.ts';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from '#shared/ports.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const clientAuth = '1.3.6.1.5.5.7.3.2';

type Client = {
  readonly ca: KeyPair;
  readonly user: string;
  readonly groups: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
};

/** By which a user logs in: its subject is his name and his groups. */
export async function issueClient({ ca, user, groups, ...life }: Client): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const issuer = new x509.X509Certificate(ca.certificate);
  const der = createPrivateKey(ca.key).export({ type: 'pkcs8', format: 'der' });
  const certificate = await x509.X509CertificateGenerator.create({
    ...life,
    subject: [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([clientAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  const key = createPrivateKey({
    key: Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
    ...{ format: 'der', type: 'pkcs8' },
  });
  return {
    certificate: `${certificate.toString('pem').trim()}\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
