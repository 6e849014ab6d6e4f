import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';

export type MadeCertificate = { readonly ca: string; readonly serverName: string };

const hour = 3_600_000;

/** One CA and one P-256 leaf, for both sides of a comparison: `tls.crt`, `tls.key` and `ca.crt` in the folder. */
export async function makeCertificate(
  serverName: string,
  directory: string,
): Promise<MadeCertificate> {
  const { issueCa, issueLeaf } = openCertificates();
  const now = Date.now();
  const life = { notBefore: new Date(now - hour), notAfter: new Date(now + 24 * hour) };
  const ca = await issueCa(life);
  const leaf = await issueLeaf({ ...life, ca, dnsNames: [serverName] });
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write('tls.crt', leaf.certificate);
  write('tls.key', leaf.key);
  write('ca.crt', ca.certificate);
  return { ca: ca.certificate, serverName };
}
