import type { Outage, OutsideRefusal, Reach } from '../outside.ts';
import type { RegistryLogin } from './credential.ts';
import type { Sha256Digest } from './digest.ts';
import type { RepositoryPlace } from './keyring.ts';
import type { Descriptor, Manifest } from './manifest.ts';

/** Reads of OCI registries. What it answers was hashed here: no word of a server about a digest is believed. */
export type Registry = {
  /** By digest where there is one, else by tag, `latest` without. */
  manifest(image: ManifestName, access: RegistryAccess): Promise<Read<FoundManifest>>;
  blob(blob: BlobName, access: RegistryAccess): Promise<Read<FoundBlob>>;
  /** What refers to the digest (signatures, bundles), by the API or by the tag that stands in for it; denied like these. */
  referrers(of: ReferrersQuery, access: RegistryAccess): Promise<Read<FoundReferrers>>;
};

export type ManifestName = RepositoryPlace &
  About & {
    readonly tag?: string | undefined;
    readonly digest?: string | undefined;
  };

export type BlobName = RepositoryPlace &
  About & {
    readonly digest: Sha256Digest;
    readonly maxBytes: number;
  };

/** Of what proves something of an image: who is not shown that has not been told that this is missing, but is denied it. */
type About = { readonly subject?: Sha256Digest | undefined };

export type ReferrersQuery = RepositoryPlace & {
  readonly digest: Sha256Digest;
  readonly artifactType?: string | undefined;
};

/** On whose behalf. */
export type RegistryAccess = {
  readonly logins: readonly RegistryLogin[];
  readonly reach: Reach;
  readonly signal: AbortSignal;
};

export type FoundManifest = {
  readonly kind: 'found';
  readonly digest: Sha256Digest;
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
};

export type FoundBlob = {
  readonly kind: 'found';
  readonly digest: Sha256Digest;
  readonly bytes: Uint8Array;
};

export type FoundReferrers = {
  readonly kind: 'found';
  readonly descriptors: readonly Descriptor[];
  readonly by: 'api' | 'tag';
};

export type Read<T> =
  | T
  | NotFound
  | { readonly kind: 'refused'; readonly why: RegistryRefusal; readonly about: string }
  | {
      readonly kind: 'unavailable';
      readonly why: RegistryOutage;
      readonly about: string;
      readonly afterSeconds?: number | undefined;
    };

export type NotFound = { readonly kind: 'not-found'; readonly about: string };

export type RegistryRefusal =
  | OutsideRefusal
  /** The registry lets nobody read it whose credentials we hold. */
  | 'denied'
  /** The same, and there were more than are read or tried: what it is about says which. */
  | 'login-left-out'
  /** It asks for credentials in a form that we do not understand or do not follow. */
  | 'challenge'
  /** It would have them sent to a host that they are not for. */
  | 'token-server'
  | 'digest'
  | 'media-type'
  | 'status';

export type RegistryOutage =
  | Outage
  | 'busy'
  | 'server-error'
  /** It lets nobody read it whose credentials we hold, and some of them could not be read. */
  | 'login-unread';

export type ReadRefused = Extract<Read<never>, { readonly kind: 'refused' }>;
export type ReadUnavailable = Extract<Read<never>, { readonly kind: 'unavailable' }>;
/** All but what was looked for. */
export type ReadFailure = NotFound | ReadRefused | ReadUnavailable;

export function readRefused(why: RegistryRefusal, about: string): ReadRefused {
  return { kind: 'refused', why, about };
}
