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

/** What stands under the signature tag, then what refers to the digest; read a few at a time, until one vouches. */
export async function* evidenceOf(
  registry: Registry,
  place: ImagePlace,
  access: RegistryAccess,
): AsyncGenerator<Evidence | Tried> {
  // Of the tag's no more than half of them are taken: whoever floods one place hides nothing in the other.
  const counted = { left: bounds.signatures * 2 };
  for await (const read of manifestsOf(registry, place, access)) {
    if (read.kind !== 'found') {
      yield read;
      continue;
    }
    const layers = proofLayers(read.manifest);
    const taken = layers.slice(0, Math.min(bounds.signatures, counted.left));
    counted.left -= taken.length;
    for (const some of inParts(taken)) {
      yield* inOrder(some.map((each) => readLayer(registry, { ...each, place }, access)));
    }
    if (taken.length < layers.length) yield tooMany;
  }
}

/** Else what is further back would be said not to be there. */
const tooMany: Tried = {
  kind: 'flaw',
  why: 'too-many',
  note: 'there are more signatures than are read',
};

/** Both lists are asked for at once: most images have one of them. */
async function* manifestsOf(
  registry: Registry,
  place: ImagePlace,
  access: RegistryAccess,
): AsyncGenerator<FoundManifest | Tried> {
  const { registry: host, repository, digest: subject } = place;
  const beside = { registry: host, repository, subject };
  const tagged = registry.manifest({ ...beside, tag: signatureTag(subject) }, access);
  const listed = leavable(registry.referrers(place, access));
  yield* told(await tagged);
  const referrers = await listed;
  if (referrers.kind !== 'found') return yield* told(referrers);
  const proofs = referrers.descriptors.filter(canBeProof).toReversed();
  for (const some of inParts(proofs.slice(0, bounds.signatures))) {
    const read = some.map(({ digest }) => registry.manifest({ ...beside, digest }, access));
    for await (const each of inOrder(read)) yield* told(each);
  }
  if (proofs.length > bounds.signatures) yield tooMany;
}

/** One after the other, so many that whoever may push puts before a wrong one would take longer than anybody waits. */
const atOnce = 8;

function inParts<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) =>
    all.slice(at * atOnce, (at + 1) * atOnce),
  );
}

/** All are under way; each is handed on as soon as those before it are, so that a newer one waits for none that hangs. */
async function* inOrder<T>(reads: readonly Promise<T>[]): AsyncGenerator<T> {
  for (const read of reads.map(leavable)) yield await read;
}

/** Whoever is told enough leaves before its end, which then is nobody's. */
function leavable<T>(read: Promise<T>): Promise<T> {
  read.catch(() => undefined);
  return read;
}

/** What is missing to whoever is shown the image is not there. */
function* told(read: Read<FoundManifest>): Generator<FoundManifest | Tried> {
  if (read.kind === 'found') yield read;
  else if (read.kind !== 'not-found') yield triedOf(read);
}

async function readLayer(
  registry: Registry,
  layer: ProofLayer & { readonly place: ImagePlace },
  access: RegistryAccess,
): Promise<Evidence | Tried> {
  const { digest } = layer.layer;
  const maxBytes = layer.kind === 'payload' ? bounds.payloadBytes : bounds.bundleBytes;
  const { place } = layer;
  const read = await registry.blob({ ...place, digest, subject: place.digest, maxBytes }, access);
  if (read.kind !== 'found') return triedOf(read);
  return layer.kind === 'payload'
    ? { kind: 'payload', payload: read.bytes, sha256: digest.slice(7), stated: layer.stated }
    : { kind: 'bundle', bytes: read.bytes };
}
