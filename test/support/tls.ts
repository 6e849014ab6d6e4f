import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import type { KeyPair } from '#shared/ports.ts';

const certificates = openCertificates();
const day = 86_400_000;
const life = () => ({
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + day),
});

export const servername = 'gatehouse-webhook.gatehouse-system.svc';

export function makeCa(): Promise<KeyPair> {
  return certificates.issueCa(life());
}

export function makeLeaf(ca: KeyPair, ...dnsNames: readonly string[]): Promise<KeyPair> {
  return certificates.issueLeaf({ ca, dnsNames: [servername, ...dnsNames], ...life() });
}

export function makeExpiredLeaf(ca: KeyPair, ...dnsNames: readonly string[]): Promise<KeyPair> {
  const notAfter = new Date(Date.now() - day / 24);
  return certificates.issueLeaf({ ca, dnsNames, notBefore: life().notBefore, notAfter });
}
