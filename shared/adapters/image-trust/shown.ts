import type { ImageFacts } from '#shared/domain/image-trust/verdict-store.ts';
import {
  type ClaimedConfiguration,
  claimedConfiguration,
} from '#shared/domain/registry/configuration.ts';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';
import { childrenOf } from '#shared/domain/registry/manifest.ts';
import type { FoundManifest } from '#shared/domain/registry/registry.ts';

/**
 * What its registry has just shown to this very account: who verifies the image does not ask again. No more of it than
 * somebody needs, since who waits holds it, and whoever pushes chooses how long a manifest is.
 */
export type Shown = Pick<ImageFacts, 'children'> & {
  readonly digest: Sha256Digest;
  readonly configuration: ClaimedConfiguration | undefined;
};

export function shownIn({ digest, manifest }: FoundManifest): Shown {
  const configuration = claimedConfiguration(manifest);
  return { digest, children: childrenOf(manifest), configuration };
}
