import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import type { KeyPair } from '#shared/ports.ts';

const { issueCa, issueLeaf, read, matches, isIssuedBy } = openCertificates();
const notBefore = new Date('2026-01-01T00:00:00Z');
const notAfter = new Date('2126-01-01T00:00:00Z');
const life = { notBefore, notAfter };
const dnsNames = ['gatehouse.test', 'gatehouse.test.svc', '127.0.0.1'];

describe('certificates', () => {
  it('issue a leaf that a client accepts which trusts only the CA', async () => {
    const ca = await issueCa(life);
    const leaf = await issueLeaf({ ...life, ca, dnsNames });

    await expect(call(leaf, ca.certificate, 'gatehouse.test')).resolves.toBe('P-256');
    await expect(call(leaf, ca.certificate, 'another.test')).rejects.toThrow(/altnames/i);
    const other = await issueCa(life);
    await expect(call(leaf, other.certificate, 'gatehouse.test')).rejects.toThrow();
  });

  it('are read back as they were asked for', async () => {
    const ca = await issueCa(life);
    const leaf = await issueLeaf({ ...life, ca, dnsNames });
    expect(read(leaf.certificate)).toEqual({
      serial: expect.stringMatching(/^4[0-9A-F]{31}$/),
      ...life,
      dnsNames,
    });
  });

  it('have a serial and a subject of their own, each', async () => {
    const [a, b] = [await issueCa(life), await issueCa(life)];
    expect(read(a.certificate)?.serial).not.toBe(read(b.certificate)?.serial);
    expect(new X509Certificate(a.certificate).subject).not.toBe(
      new X509Certificate(b.certificate).subject,
    );
  });

  it('of a leaf are for servers and sign nothing; of a CA they sign', async () => {
    const ca = await issueCa(life);
    const leaf = new X509Certificate((await issueLeaf({ ...life, ca, dnsNames })).certificate);
    expect(leaf.ca).toBe(false);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    const authority = new X509Certificate(ca.certificate);
    expect(authority.ca).toBe(true);
    expect(authority.toLegacyObject()).toMatchObject({ asn1Curve: 'prime256v1' });
  });

  it('of a leaf end with their CA at the latest', async () => {
    const ca = await issueCa({ notBefore, notAfter: new Date('2030-01-01T00:00:00Z') });
    const leaf = await issueLeaf({ ...life, ca, dnsNames });
    expect(read(leaf.certificate)?.notAfter).toEqual(new Date('2030-01-01T00:00:00Z'));
  });

  it('match their own key and no other', async () => {
    const [a, b] = [await issueCa(life), await issueCa(life)];
    expect(matches(a)).toBe(true);
    expect(matches({ ...a, key: b.key })).toBe(false);
  });

  it('are issued by their CA and by no other of the same name', async () => {
    const [ca, other] = [await issueCa(life), await issueCa(life)];
    const { certificate } = await issueLeaf({ ...life, ca, dnsNames });
    expect(isIssuedBy(certificate, ca.certificate)).toBe(true);
    expect(isIssuedBy(certificate, other.certificate)).toBe(false);
    expect(isIssuedBy(ca.certificate, ca.certificate)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no certificate at all', 'hello'],
    ['a torn one', '-----BEGIN CERTIFICATE-----\nMIIB\n'],
  ])('that are %s are neither read, nor matched, nor issued', async (_, text) => {
    const ca = await issueCa(life);
    expect(read(text)).toBeUndefined();
    expect(matches({ certificate: text, key: ca.key })).toBe(false);
    expect(matches({ certificate: ca.certificate, key: text })).toBe(false);
    expect(isIssuedBy(text, ca.certificate)).toBe(false);
    expect(isIssuedBy(ca.certificate, text)).toBe(false);
  });
});

/** One TLS handshake; resolves with the curve of the certificate that was shown. */
async function call(pair: KeyPair, ca: string, servername: string): Promise<string | undefined> {
  const server = createServer({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.3' });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca, servername }, () => {
        const shown = socket.getPeerCertificate();
        socket.destroy();
        resolve('nistCurve' in shown ? shown.nistCurve : undefined);
      });
      socket.on('error', reject);
    });
  } finally {
    server.close();
  }
}
