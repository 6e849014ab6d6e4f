import {
  claimsConfiguration,
  isConfigurationOf,
  largestConfiguration,
} from '#shared/domain/registry/configuration.ts';
import type { ReadFailure, Registry, RegistryAccess } from '#shared/domain/registry/registry.ts';
import type { Wish } from './subject.ts';

export type Configured =
  | { readonly kind: 'its-own' }
  /** Else whoever may push could call a signed manifest the configuration of his own layers. */
  | { readonly kind: 'something-else' }
  | ReadFailure;

/** What the manifest calls its configuration, looked at. */
export async function readConfiguration(
  registry: Registry,
  { pulled, digest }: Pick<Wish, 'pulled' | 'digest'>,
  access: RegistryAccess,
): Promise<Configured> {
  const place = { registry: pulled.registry, repository: pulled.repository };
  const image = await registry.manifest({ ...place, digest }, access);
  if (image.kind !== 'found') return image;
  const { manifest } = image;
  if (manifest.kind !== 'image' || !claimsConfiguration(manifest)) return somethingElse;

  const asked = { ...place, digest: manifest.config.digest, maxBytes: largestConfiguration };
  const blob = await registry.blob(asked, access);
  if (blob.kind !== 'found') return blob;
  return isConfigurationOf(manifest, blob.bytes) ? { kind: 'its-own' } : somethingElse;
}

const somethingElse = { kind: 'something-else' } as const;
