import { createHash } from 'node:crypto';
import { canonical, parseImage } from '#shared/domain/image.ts';
import type { ResolveImage, ShowLogins } from './options.ts';

/** What is known of a container's image. */
export type ImageFact =
  | { readonly kind: 'pulling' }
  | { readonly kind: 'pulled'; readonly image: string; readonly imageID: string }
  | { readonly kind: 'failed'; readonly reason: PullReason; readonly why: string };

export type PullReason = 'ErrImagePull' | 'InvalidImageName';

type Asked = { readonly resolveImage: ResolveImage | undefined; readonly show: ShowLogins };

export async function pull(reference: string, asked: Asked): Promise<ImageFact> {
  const parsed = parseImage(reference);
  if (!parsed.ok) return { kind: 'failed', reason: 'InvalidImageName', why: parsed.why };
  const { registry, repository, tag, digest: pinned } = parsed.image;
  const found = await digestOf(reference, pinned, asked);
  if (typeof found !== 'string') return found;
  const stated = pinned === undefined ? (tag ?? 'latest') : tag;
  return {
    kind: 'pulled',
    image: canonical({ registry, repository, tag: stated, digest: pinned }),
    imageID: canonical({ registry, repository, tag: undefined, digest: found }),
  };
}

async function digestOf(
  reference: string,
  pinned: string | undefined,
  { resolveImage, show }: Asked,
): Promise<string | ImageFact> {
  const found = (await resolveImage?.(reference, show)) ?? { kind: 'foreign' };
  switch (found.kind) {
    case 'digest':
      return pinned ?? found.digest;
    case 'failed':
      return { kind: 'failed', reason: 'ErrImagePull', why: found.why };
    case 'foreign':
      return pinned ?? madeUpDigest(reference);
  }
}

/** The same for the same reference, everywhere and always. */
export function madeUpDigest(reference: string): string {
  return `sha256:${createHash('sha256').update(reference).digest('hex')}`;
}
