import { type Outside, unavailable } from '#shared/domain/outside.ts';
import type { ImageJudge } from '#shared/ports.ts';
import type { ImageTrustParts } from '#shared/runtime/image-trust.ts';
import { once } from '#shared/runtime/once.ts';
import type { EmulateOptions } from '../world.ts';

type Parts = Omit<ImageTrustParts, 'outside'> & Pick<EmulateOptions, 'images' | 'outside'>;

/** Production's judge on what is in memory, loaded when it is asked; nobody is outside unless the test says who. */
export function imagesIn({ images, outside = nobody, ...parts }: Parts): ImageJudge {
  if (images !== undefined) return images;
  const { get } = once(async () => {
    const { imageTrust } = await import('#shared/runtime/image-trust.ts');
    return imageTrust({ ...parts, outside });
  });
  return {
    judge: async (...given) => (await get()).judge(...given),
    recall: async (...given) => (await get()).recall(...given),
  };
}

const nobody: Outside = {
  read: async ({ url }) => unavailable('no-connection', url),
  originOf: (host) => `https://${host}`,
  close: () => undefined,
};
