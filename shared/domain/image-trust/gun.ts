import type { ImageName } from '../image.ts';

type Names = { readonly oldDockerNames: boolean };

/** Under which name a Notary keeps what is signed of an image. Hosts mean the same in any case of their letters. */
export function gunOf(
  { registry, repository }: Pick<ImageName, 'registry' | 'repository'>,
  { oldDockerNames }: Names,
): string {
  const host = registry.toLowerCase();
  const isOld = oldDockerNames && host === 'docker.io';
  return `${isOld ? 'index.docker.io' : host}/${repository}`;
}
