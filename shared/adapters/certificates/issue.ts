import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
// First: the library refuses to load without it.
import './reflection.ts';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from '#shared/ports.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const serverAuth = '1.3.6.1.5.5.7.3.1';

type Lifetime = { readonly notBefore: Date; readonly notAfter: Date };

export async function issueCa({ notBefore, notAfter }: Lifetime): Promise<KeyPair> {
  const keys = await newKeys();
  const serialNumber = newSerial();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    // With a name of its own, no client can mistake one CA for the next.
    name: `CN=gatehouse ${serialNumber.slice(-8)}`,
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate.toString('pem')), key: await exported(keys.privateKey) };
}

export async function issueLeaf(
  options: Lifetime & { readonly ca: KeyPair; readonly dnsNames: readonly string[] },
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(options.ca.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: 'CN=gatehouse',
    issuer: issuer.subjectName,
    notBefore: options.notBefore,
    notAfter: earlier(options.notAfter, issuer.notAfter),
    publicKey: keys.publicKey,
    signingKey: await signingKey(options.ca.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        options.dnsNames.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: pem(certificate.toString('pem')), key: await exported(keys.privateKey) };
}

function newKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** 16 bytes, of which the first says that the number is positive and that it is not short. */
function newSerial(): string {
  return `4${randomBytes(16).toString('hex').slice(1)}`;
}

async function exported(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function signingKey(key: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function pem(text: string): string {
  return `${text.trim()}\n`;
}
