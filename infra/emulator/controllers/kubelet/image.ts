import { createHash } from 'node:crypto';
import { canonical, parseImage } from '#shared/domain/image.ts';
import type { ResolveImage } from './options.ts';

/** What is known of a container's image. */
export type ImageFact =
  | { readonly kind: 'pulling' }
  | { readonly kind: 'pulled'; readonly image: string; readonly imageID: string }
  | { readonly kind: 'failed'; readonly reason: PullReason; readonly why: string };

export type PullReason = 'ErrImagePull' | 'InvalidImageName';

export async function pull(
  reference: string,
  resolveImage: ResolveImage | undefined,
): Promise<ImageFact> {
  const parsed = parseImage(reference);
  if (!parsed.ok) return { kind: 'failed', reason: 'InvalidImageName', why: parsed.why };
  const { registry, repository, tag, digest: pinned } = parsed.image;
  const found = pinned === undefined ? await asked(reference, resolveImage) : pinned;
  if (typeof found !== 'string') return found;
  const stated = pinned === undefined ? (tag ?? 'latest') : tag;
  return {
    kind: 'pulled',
    image: canonical({ registry, repository, tag: stated, digest: pinned }),
    imageID: canonical({ registry, repository, tag: undefined, digest: found }),
  };
}

async function asked(
  reference: string,
  resolveImage: ResolveImage | undefined,
): Promise<string | ImageFact> {
  const found = (await resolveImage?.(reference)) ?? { kind: 'foreign' };
  switch (found.kind) {
    case 'digest':
      return found.digest;
    case 'failed':
      return { kind: 'failed', reason: 'ErrImagePull', why: found.why };
    case 'foreign':
      return madeUpDigest(reference);
  }
}

/** The same for the same reference, everywhere and always. */
export function madeUpDigest(reference: string): string {
  return `sha256:${createHash('sha256').update(reference).digest('hex')}`;
}
