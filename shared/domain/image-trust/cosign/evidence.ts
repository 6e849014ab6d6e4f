import type { Descriptor, Manifest } from '../../registry/manifest.ts';
import { annotationNames, isBundleType, payloadType } from './layout.ts';

/** What a registry keeps as proof, before anything of it is believed. */
export type Evidence = OldEvidence | { readonly kind: 'bundle'; readonly bytes: Uint8Array };

/** A payload that was signed, and beside it what `cosign sign` wrote into annotations. */
export type OldEvidence = {
  readonly kind: 'payload';
  readonly payload: Uint8Array;
  /** Hex: the registry client has hashed it. */
  readonly sha256: string;
  readonly stated: StatedProof;
};

export type StatedProof = {
  /** Base64 */
  readonly signature: string;
  /** PEM */
  readonly certificate: string | undefined;
  /** JSON */
  readonly rekor: string | undefined;
  readonly timestamp: string | undefined;
};

export type ProofLayer =
  | { readonly kind: 'payload'; readonly layer: Descriptor; readonly stated: StatedProof }
  | { readonly kind: 'bundle'; readonly layer: Descriptor };

/** The layers of a manifest that can be a proof; the newest ones first. */
export function proofLayers(manifest: Manifest): readonly ProofLayer[] {
  if (manifest.kind !== 'image') return [];
  return manifest.layers.toReversed().flatMap(proofIn);
}

function proofIn(layer: Descriptor): readonly ProofLayer[] {
  if (isBundleType(layer.mediaType)) return [{ kind: 'bundle', layer }];
  const { signature = '', ...rest } = statedBy(layer.annotations);
  const isPayload = layer.mediaType === payloadType && signature !== '';
  return isPayload ? [{ kind: 'payload', layer, stated: { signature, ...rest } }] : [];
}

function statedBy(annotations: Readonly<Record<string, string>>) {
  const at = (name: keyof typeof annotationNames) => annotations[annotationNames[name]];
  return {
    signature: at('signature'),
    certificate: at('certificate'),
    rekor: at('rekor'),
    timestamp: at('timestamp'),
  };
}
