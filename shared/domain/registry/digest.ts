/** Of content, as we compute it. Other algorithms name nothing for us. */
export type Sha256Digest = `sha256:${string}`;

export function isSha256Digest(text: string): text is Sha256Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Where registries without the referrers API keep what refers to a digest. */
export function fallbackTag(digest: Sha256Digest): string {
  return digest.replace(':', '-');
}
