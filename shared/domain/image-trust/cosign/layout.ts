import type { Sha256Digest } from '../../registry/digest.ts';
import type { Descriptor } from '../../registry/manifest.ts';

/** Where `cosign sign` keeps signatures beside the image: a manifest whose layers are payloads. */
export function signatureTag(digest: Sha256Digest): string {
  return `${digest.replace(':', '-')}.sig`;
}

export const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';

/** Of the same manifest where it is a referrer of the image and has no tag. */
export const signatureArtifact = 'application/vnd.dev.cosign.artifact.sig.v1+json';

/** Every version of it: what it holds is decided by what stands in it. */
export function isBundleType(mediaType: string | undefined): boolean {
  return /^application\/vnd\.dev\.sigstore\.bundle(?:\.v\d\.\d\+json|\+json;version=\d\.\d)$/.test(
    mediaType ?? '',
  );
}

/** Of a layer. What they say is proven by what is in them, never by their being there. */
export const annotationNames = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  rekor: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
} as const;

/**
 * Whoever may push can add any number. Of the tag's the newest are read, which stand at the end. A bundle of a keyless
 * signature has about 4 KiB, a payload 300 bytes; each keyless one costs some 7 ms.
 */
export const bounds = {
  signatures: 32,
  payloadBytes: 64 * 1024,
  bundleBytes: 256 * 1024,
  json: { maxDepth: 24, maxMarks: 10_000 },
} as const;

type Referrer = Pick<Descriptor, 'artifactType' | 'annotations'>;

/**
 * What refers to an image is much: SBOMs, provenance. Lists under a tag state the type of an empty configuration at
 * times, or none; what is in a manifest decides then.
 */
export function canBeProof({ artifactType, annotations }: Referrer): boolean {
  const predicate = annotations[predicateAnnotation] ?? signedPredicate;
  if (predicate !== signedPredicate) return false;
  return (
    isBundleType(artifactType) || [undefined, signatureArtifact, emptyConfig].includes(artifactType)
  );
}

const predicateAnnotation = 'dev.sigstore.bundle.predicateType';
const emptyConfig = 'application/vnd.oci.empty.v1+json';

/** Of the statement that `cosign sign` makes. */
export const signedPredicate = 'https://sigstore.dev/cosign/sign/v1';
