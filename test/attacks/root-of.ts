import { certified } from '#test/support/tuf/certified.ts';
import { inCertificate, type Signer } from '#test/support/tuf/signer.ts';

/** Whoever owns a collection: whose name the certificate bears is checked. */
export async function rootOf(commonName: string): Promise<Signer> {
  const { pem, privateKey } = await certified({ commonName });
  return inCertificate(pem, privateKey);
}
