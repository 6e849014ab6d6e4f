import { createSecureContext } from 'node:tls';
import {
  bundledConfigurations,
  observe,
  ownConfigurations,
} from '#shared/domain/certificates/ca-bundle.ts';
import { type CertificateReader, isTrusted } from '#shared/domain/certificates/certificate.ts';
import { certificatesIn } from '#shared/domain/certificates/pem.ts';
import { servedNames } from '#shared/domain/certificates/policy.ts';
import { contentsOf, rotationOf } from '#shared/domain/certificates/secret.ts';
import type { Observed } from '#shared/domain/certificates/settling.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Certificates, Cluster, KeyPair } from '#shared/ports.ts';

/** What can be served: checked, with all that is to be known of it. */
export type Served = KeyPair & {
  readonly serial: string;
  readonly notAfter: Date;
  /** What callers must trust; empty where it is trusted by other means. */
  readonly authorities: string;
};

export type Offered =
  | {
      readonly kind: 'good';
      readonly pair: Served;
      /** The rotation says that every API server knows the CA. */
      readonly isVouched: boolean;
    }
  | { readonly kind: 'none' }
  /** Torn, mismatching or unreadable. */
  | { readonly kind: 'bad'; readonly why: string };

/** The pair in our own Secret. */
export async function offeredBySecret(
  cluster: Cluster,
  certificates: Certificates,
  { installation }: Settings,
): Promise<Offered> {
  const { namespace } = installation;
  const secret = await cluster.find({ kind: secrets, namespace, name: certificatesSecret });
  if (secret === undefined) return { kind: 'none' };
  const { leaf, leafKey, ca } = contentsOf(secret);
  const phase = rotationOf(secret, certificates)?.phase;
  const isVouched = phase !== undefined && phase !== 'introducing';
  return checked({ certificate: leaf, key: leafKey, ca, isVouched }, certificates);
}

/** A half-written pair is told from a good one before it can reach a socket. */
export function checked(
  offer: KeyPair & { readonly ca: string; readonly isVouched: boolean },
  reader: CertificateReader,
): Offered {
  const { certificate, key, ca, isVouched } = offer;
  const facts = reader.read(certificate);
  if (facts === undefined) return { kind: 'bad', why: 'tls.crt is no certificate' };
  if (!reader.matches({ certificate, key })) {
    return { kind: 'bad', why: 'tls.key is not the key of tls.crt' };
  }
  const authorities = certificatesIn(ca);
  if (authorities.length > 0 && !isTrusted(reader, certificatesIn(certificate), authorities)) {
    return { kind: 'bad', why: 'tls.crt is not issued by ca.crt' };
  }
  const unserved = unservedFor({ certificate, key });
  if (unserved !== undefined) return { kind: 'bad', why: unserved };

  const { serial, notAfter } = facts;
  const pair = { certificate, key, serial, notAfter, authorities: authorities.join('') };
  return { kind: 'good', isVouched, pair };
}

/** What the listener would refuse (a weak key, a damaged chain) must not get as far as it. */
function unservedFor({ certificate, key }: KeyPair): string | undefined {
  try {
    createSecureContext({ cert: certificate, key });
    return undefined;
  } catch (cause: unknown) {
    return `tls.crt cannot be served: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** Whether the bundles in the cluster verify the pair. */
export async function observedFor(
  { certificate }: KeyPair,
  cluster: Cluster,
  { reader, settings }: { readonly reader: CertificateReader; readonly settings: Settings },
): Promise<Observed> {
  const found = await Promise.all(bundledConfigurations.map((each) => cluster.find(each)));
  const chain = certificatesIn(certificate);
  return observe(ownConfigurations(found), servedNames(settings), (trusted) =>
    isTrusted(reader, chain, trusted),
  );
}
