import type { Tried } from '#shared/domain/image-trust/cosign/conclusion.ts';
import {
  type Evidence,
  type ProofLayer,
  proofLayers,
} from '#shared/domain/image-trust/cosign/evidence.ts';
import { bounds, canBeProof, signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';
import type { RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import type {
  FoundManifest,
  Read,
  Registry,
  RegistryAccess,
} from '#shared/domain/registry/registry.ts';
import { triedOf } from './outage.ts';

export type ImagePlace = RepositoryPlace & { readonly digest: Sha256Digest };

/** What stands under the signature tag, then what refers to the digest; read one after the other, until one vouches. */
export async function* evidenceOf(
  registry: Registry,
  place: ImagePlace,
  access: RegistryAccess,
): AsyncGenerator<Evidence | Tried> {
  // Of the tag's no more than half of them are taken: whoever floods one place hides nothing in the other.
  const counted = { left: bounds.signatures * 2 };
  for await (const read of manifestsOf(registry, place, access)) {
    if (read.kind === 'not-found') continue;
    if (read.kind !== 'found') {
      yield triedOf(read);
      continue;
    }
    for (const layer of proofLayers(read.manifest)) {
      if (counted.left === 0) return yield tooMany;
      counted.left -= 1;
      yield await readLayer(registry, { ...layer, place }, access);
    }
  }
}

const tooMany: Tried = {
  kind: 'flaw',
  why: 'too-many',
  note: `only ${bounds.signatures * 2} of its signatures were read`,
};

/** Both lists are asked for at once: most images have one of them. */
async function* manifestsOf(
  registry: Registry,
  place: ImagePlace,
  access: RegistryAccess,
): AsyncGenerator<Read<FoundManifest>> {
  const [tagged, referrers] = await Promise.all([
    registry.manifest({ ...place, digest: undefined, tag: signatureTag(place.digest) }, access),
    registry.referrers(place, access),
  ]);
  yield tagged;
  if (referrers.kind !== 'found') return yield referrers;
  const proofs = referrers.descriptors.filter(canBeProof).toReversed();
  for (const { digest } of proofs.slice(0, bounds.signatures)) {
    yield await registry.manifest({ ...place, digest }, access);
  }
}

async function readLayer(
  registry: Registry,
  layer: ProofLayer & { readonly place: ImagePlace },
  access: RegistryAccess,
): Promise<Evidence | Tried> {
  const { digest } = layer.layer;
  const maxBytes = layer.kind === 'payload' ? bounds.payloadBytes : bounds.bundleBytes;
  const read = await registry.blob({ ...layer.place, digest, maxBytes }, access);
  if (read.kind !== 'found') return triedOf(read);
  return layer.kind === 'payload'
    ? { kind: 'payload', payload: read.bytes, sha256: digest.slice(7), stated: layer.stated }
    : { kind: 'bundle', bytes: read.bytes };
}
