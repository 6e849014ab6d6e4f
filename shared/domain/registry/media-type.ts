const images: readonly string[] = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

export const ociIndex = 'application/vnd.oci.image.index.v1+json';

const indexes: readonly string[] = [
  ociIndex,
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** What is asked for. Docker's schema 1 is not: its digest is not the digest of what is sent. */
export const manifestTypes = [...images, ...indexes].join(', ');

export function formOf(mediaType: string): 'image' | 'index' | undefined {
  if (images.includes(mediaType)) return 'image';
  return indexes.includes(mediaType) ? 'index' : undefined;
}

/** Without its parameters: `application/json; charset=utf-8`. */
export function bareMediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1).join('').trim().toLowerCase();
}
