import { type MadeImage, makeImage, makePosing } from '#test/support/registry/pushed-image.ts';

/** `evil as good`: the image evil, whose configuration is said to be the manifest of good. */
export function imageCalled(name: string): MadeImage {
  const [own = '', posing] = name.split(' as ', 2);
  return posing === undefined ? makeImage(own) : makePosing(own, makeImage(posing).manifest);
}

/** `the configuration of good`, the image itself, or a digest as it stands. */
export function signedAs(name: string): string {
  if (name.startsWith('sha256:')) return name;
  const [, image] = /^the configuration of (.+)$/.exec(name) ?? [];
  return image === undefined ? makeImage(name).manifest.digest : makeImage(image).config.digest;
}
