import { X509Certificate } from 'node:crypto';
import type { Bundle } from '@sigstore/bundle';
import {
  type Signer,
  type TrustMaterial,
  toSignedEntity,
  VerificationError,
  Verifier,
} from '@sigstore/verify';
import type { ProofFlaw } from '#shared/domain/image-trust/cosign/conclusion.ts';
import {
  type Identity,
  isIdentity,
  type WantedIdentity,
} from '#shared/domain/image-trust/cosign/identity.ts';
import type { Opened } from './opened.ts';

export type Proven =
  | ({ readonly kind: 'signer' } & Identity)
  | { readonly kind: 'flaw'; readonly why: ProofFlaw };

/** Certificate, log, time and signature are the library's; whose the certificate has to be is decided here. */
export function proveKeyless(
  { bundle, artifact }: Opened,
  wanted: WantedIdentity,
  root: TrustMaterial,
): Proven {
  if (bundle === undefined || !isForSigning(bundle)) return flaw('certificate');
  try {
    const signer = verifierFor(root).verify(toSignedEntity(bundle, artifact));
    const identity = identityOf(signer);
    return isIdentity(wanted, identity) ? { kind: 'signer', ...identity } : flaw('identity');
  } catch (cause) {
    return flaw(whyOf(cause));
  }
}

/** What the root names has to be shown: a root without logs is one of an installation that has none. */
function verifierFor(root: TrustMaterial): Verifier {
  return new Verifier(root, {
    tlogThreshold: Math.min(1, root.tlogs.length),
    ctlogThreshold: Math.min(1, root.ctlogs.length),
    timestampThreshold: 1,
  });
}

const codeSigning = '1.3.6.1.5.5.7.3.3';

/** The library does not look: a certificate of the same authority for a server, or a lower authority, signs no code. */
function isForSigning({ verificationMaterial: { content } }: Bundle): boolean {
  const bytes = certificateIn(content);
  if (bytes === undefined) return false;
  try {
    const certificate = new X509Certificate(bytes);
    return !certificate.ca && (certificate.keyUsage ?? []).includes(codeSigning);
  } catch {
    // It is no certificate.
    return false;
  }
}

function certificateIn(content: Bundle['verificationMaterial']['content']): Uint8Array | undefined {
  switch (content.$case) {
    case 'certificate':
      return content.certificate.rawBytes;
    case 'x509CertificateChain':
      return content.x509CertificateChain.certificates[0]?.rawBytes;
    default:
      return undefined;
  }
}

function identityOf({ identity }: Signer): Identity {
  return {
    subject: identity?.subjectAlternativeName ?? '',
    issuer: identity?.extensions?.issuer ?? '',
  };
}

function whyOf(cause: unknown): ProofFlaw {
  const code = cause instanceof VerificationError ? cause.code : '';
  if (code === 'SIGNATURE_ERROR') return 'signature';
  if (code.startsWith('TLOG_')) return 'log';
  return code === 'CERTIFICATE_ERROR' || code === 'TIMESTAMP_ERROR' ? 'certificate' : 'malformed';
}

function flaw(why: ProofFlaw): Proven {
  return { kind: 'flaw', why };
}
