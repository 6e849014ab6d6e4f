import { webcrypto } from 'node:crypto';
// First: the library refuses to load without it.
import '#shared/adapters/certificates/reflection.ts';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import { certificateRequestIn } from '#infra/emulator/cluster/certificate-request.ts';

const rsa = (hash: string) => ({
  ...{ name: 'RSASSA-PKCS1-v1_5', hash, modulusLength: 2048 },
  publicExponent: new Uint8Array([1, 0, 1]),
});
const ecdsa = (namedCurve: string, hash: string) => ({ name: 'ECDSA', namedCurve, hash });

type Algorithm = ReturnType<typeof rsa> | ReturnType<typeof ecdsa> | { readonly name: string };

async function requestBy(algorithm: Algorithm): Promise<Buffer> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['one'] }, { O: ['two', 'three'] }, { CN: ['me'] }],
    keys: keys as webcrypto.CryptoKeyPair,
    signingAlgorithm: algorithm,
  });
  return Buffer.from(made.rawData);
}

function inPem(der: Buffer, type = 'CERTIFICATE REQUEST'): string {
  const pem = `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`;
  return Buffer.from(pem).toString('base64');
}

describe('a request for a certificate', () => {
  it.each<[string, Algorithm, string]>([
    ['RSA', rsa('SHA-256'), 'crypto/rsa: verification error'],
    ['RSA with a longer hash', rsa('SHA-512'), 'crypto/rsa: verification error'],
    ['P-256', ecdsa('P-256', 'SHA-256'), 'x509: ECDSA verification failure'],
    ['P-384', ecdsa('P-384', 'SHA-384'), 'x509: ECDSA verification failure'],
    ['Ed25519', { name: 'Ed25519' }, 'x509: Ed25519 verification failure'],
  ])('by %s says who asks, if he has signed it', async (_, algorithm, failure) => {
    const der = await requestBy(algorithm);
    const forged = Buffer.from(der.toString('latin1').replace('two', 'ten'), 'latin1');
    const organizations = ['one', 'two', 'three'];
    expect(certificateRequestIn(inPem(der))).toEqual({ organizations });
    expect(certificateRequestIn(inPem(forged))).toBe(failure);
  });

  it('is nothing else, and nothing that ends early', async () => {
    const der = await requestBy({ name: 'Ed25519' });
    const other = 'PEM block type must be CERTIFICATE REQUEST';
    expect(certificateRequestIn(inPem(der, 'CERTIFICATE'))).toBe(other);
    expect(certificateRequestIn('')).toBe(other);
    for (const length of [0, 1, 2, 30, der.length - 1]) {
      expect(certificateRequestIn(inPem(der.subarray(0, length)))).toMatch(/^asn1: /);
    }
  });

  it('is not proven by what nobody here knows', async () => {
    const sha1 = await requestBy(rsa('SHA-1'));
    expect(certificateRequestIn(inPem(sha1))).toMatch(/^x509: cannot verify signature: /);
  });
});
