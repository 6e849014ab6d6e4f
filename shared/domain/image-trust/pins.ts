import { parseImage } from '../image.ts';
import { pointer } from '../json-pointer.ts';
import type { PodImage } from '../pod-images.ts';
import type { Change } from '../verdict.ts';
import type { Finding } from './judgement.ts';

/** Each verified image gets the digest that was verified: a tag may be something else when the node asks. */
export function pins(
  slots: readonly PodImage[],
  findings: ReadonlyMap<string, Finding>,
): readonly Change[] {
  return slots.flatMap(({ image, path }): readonly Change[] => {
    const judgement = findings.get(image)?.judgement;
    if (judgement?.kind !== 'trusted') return [];
    const value = pinned(image, judgement.digest);
    if (value === undefined) return [];
    const { verifier, server } = judgement.by;
    const why = `it is pinned to what was verified (${verifier} ${server})`;
    return [{ op: 'replace', path: pointer(...path), value, why }];
  });
}

/** The tag stays, since it is the name that was signed; `undefined` where a digest stands already. */
export function pinned(image: string, digest: string): string | undefined {
  const parsed = parseImage(image);
  if (!parsed.ok || parsed.image.digest !== undefined) return undefined;
  return `${image}${parsed.image.tag === undefined ? ':latest' : ''}@${digest}`;
}

/** What stands there; `undefined` where a node would ask for the tag. */
export function digestIn(image: string): string | undefined {
  const parsed = parseImage(image);
  return parsed.ok ? parsed.image.digest : undefined;
}
