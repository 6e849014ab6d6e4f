import type { Finding, Judgement } from './judgement.ts';

export type Standing = 'valid' | 'invalid' | 'unavailable';

export function standingOf({ kind }: Judgement): Standing {
  switch (kind) {
    case 'trusted':
    case 'allowed':
      return 'valid';
    case 'untrusted':
      return 'invalid';
    case 'unavailable':
      return 'unavailable';
  }
}

/** Else it is unknown, which is no outage of anybody. */
export function wasAsked({ judgement }: Finding): boolean {
  return judgement.kind !== 'unavailable' || judgement.why !== 'not-verified';
}

/** Invalid beats Unavailable beats Valid, in whatever order they come. */
export function standingOfAll(findings: readonly Finding[]): Standing {
  const all = findings.map(({ judgement }) => standingOf(judgement));
  if (all.includes('invalid')) return 'invalid';
  return all.includes('unavailable') ? 'unavailable' : 'valid';
}

/** All that are not valid, each once, sorted by their images. */
export function badAmong(findings: readonly Finding[]): readonly Finding[] {
  const bad = findings.filter(({ judgement }) => standingOf(judgement) !== 'valid');
  const byImage = new Map(bad.map((finding) => [finding.image, finding]));
  return [...byImage.values()].toSorted(byName);
}

/**
 * Under rules that do not hold together: nobody can be asked, so that nothing is trusted. What is wrong is told of the image
 * that is told of first: it may be thousands of characters, and is the same for all.
 */
export function untrustedByRules(
  images: readonly string[],
  problems: readonly string[],
): readonly Finding[] {
  const note = problems.join('; ');
  const [first] = images.toSorted();
  return images.map((image) => ({
    image,
    judgement: { kind: 'untrusted', why: 'bad-rules', note: image === first ? note : '' },
  }));
}

/** By code points: the same on every machine. */
function byName(one: Finding, other: Finding): number {
  if (one.image === other.image) return 0;
  return one.image < other.image ? -1 : 1;
}
