import { type ImageName, parseImage } from '../image.ts';

/** Where a name was led here from; other capabilities may rewrite what pods pull. */
export type OriginOf = (
  image: string,
) =>
  | { readonly kind: 'itself' }
  | { readonly kind: 'mapped'; readonly image: string }
  | { readonly kind: 'ambiguous'; readonly images: readonly string[] };

export type SignedName =
  | {
      readonly kind: 'named';
      /** By which it is judged. */
      readonly signed: ImageName;
      /** From where it is pulled. */
      readonly pulled: ImageName;
    }
  | { readonly kind: 'bad'; readonly why: string };

/** A rewritten image is judged by the name of its origin: to write the mirror's name by hand gains nothing. */
export function signedName(image: string, originOf: OriginOf): SignedName {
  const pulled = parseImage(image);
  if (!pulled.ok) return { kind: 'bad', why: pulled.why };
  const origin = originOf(image);
  if (origin.kind === 'itself') {
    return { kind: 'named', signed: pulled.image, pulled: pulled.image };
  }
  if (origin.kind === 'ambiguous') {
    const names = origin.images.join(', ');
    return { kind: 'bad', why: `${image} stands for several images: ${names}` };
  }
  const signed = parseImage(origin.image);
  return signed.ok
    ? { kind: 'named', signed: signed.image, pulled: pulled.image }
    : { kind: 'bad', why: signed.why };
}

/** The kubelet pulls `latest` where nothing else is said. */
export function tagOf({ tag, digest }: Pick<ImageName, 'tag' | 'digest'>): string | undefined {
  return tag ?? (digest === undefined ? 'latest' : undefined);
}
