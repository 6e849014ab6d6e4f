import { isConfigurationOf, largestConfiguration } from '#shared/domain/registry/configuration.ts';
import type { ReadFailure, Registry, RegistryAccess } from '#shared/domain/registry/registry.ts';
import { type Shown, shownIn } from './shown.ts';
import type { Wish } from './subject.ts';

export type Configured =
  | { readonly kind: 'its-own' }
  /** Else whoever may push could call a signed manifest the configuration of his own layers. */
  | { readonly kind: 'something-else' }
  | ReadFailure;

/** What the manifest calls its configuration, looked at. */
export async function readConfiguration(
  registry: Registry,
  wish: Asking,
  access: RegistryAccess,
): Promise<Configured> {
  const { pulled, shown = await showing(registry, wish, access) } = wish;
  if ('kind' in shown) return shown;
  const { configuration: claimed } = shown;
  if (claimed === undefined) return somethingElse;

  const place = { registry: pulled.registry, repository: pulled.repository };
  const asked = { ...place, digest: claimed.digest, maxBytes: largestConfiguration };
  const blob = await registry.blob(asked, access);
  if (blob.kind !== 'found') return blob;
  return isConfigurationOf(claimed, blob.bytes) ? { kind: 'its-own' } : somethingElse;
}

type Asking = Pick<Wish, 'pulled' | 'digest' | 'shown'>;

async function showing(
  registry: Registry,
  { pulled, digest }: Asking,
  access: RegistryAccess,
): Promise<Shown | ReadFailure> {
  const place = { registry: pulled.registry, repository: pulled.repository };
  const read = await registry.manifest({ ...place, digest }, access);
  return read.kind === 'found' ? shownIn(read) : read;
}

const somethingElse = { kind: 'something-else' } as const;
