import {
  descriptorOf,
  type MadeImage,
  makeImage,
  makePosing,
} from '#test/support/registry/pushed-image.ts';

/**
 * `evil as good`: the image evil, whose configuration is said to be the manifest of good. `evil beside good`: it is
 * said to be that of good, and in another spelling, which Go takes for the same, its own.
 */
export function imageCalled(name: string): MadeImage {
  const [both = '', read] = name.split(' beside ', 2);
  if (read !== undefined) return makeTwice(makeImage(both), makeImage(read));
  const [own = '', posing] = name.split(' as ', 2);
  return posing === undefined ? makeImage(own) : makePosing(own, makeImage(posing).manifest);
}

function makeTwice(run: MadeImage, read: MadeImage): MadeImage {
  const config = { ...descriptorOf(read.config), Digest: run.config.digest };
  return {
    ...makeImage('twice', { config, layers: [descriptorOf(run.layer)] }),
    config: run.config,
  };
}

/** `the configuration of good`, the image itself, or a digest as it stands. */
export function signedAs(name: string): string {
  if (name.startsWith('sha256:')) return name;
  const [, image] = /^the configuration of (.+)$/.exec(name) ?? [];
  return image === undefined ? makeImage(name).manifest.digest : makeImage(image).config.digest;
}
