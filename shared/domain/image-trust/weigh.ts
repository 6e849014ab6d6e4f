import type { Finding } from './judgement.ts';
import type { NamespaceTrust, TrustRules } from './rules.ts';
import { untrustedByRules } from './standing.ts';

export type Weighed = {
  readonly findings: readonly Finding[];
  /** Whether what nobody could be asked about is refused. */
  readonly isStrict: boolean;
};

/** Where the rules do not hold together, nobody is asked, and nothing is trusted. */
export async function weigh(
  images: readonly string[],
  trust: Exclude<NamespaceTrust, { readonly kind: 'off' }>,
  ask: (rules: TrustRules) => Promise<readonly Finding[]>,
): Promise<Weighed> {
  const findings = await countedFirst(images, async () =>
    trust.kind === 'broken' ? untrustedByRules(images, trust.problems) : ask(trust.rules),
  );
  return { findings, isStrict: trust.kind === 'broken' || trust.isStrict };
}

/** Different ones of a pod. Whoever makes it chooses how many there are, and each costs all others some 0.1 ms. */
const mostImages = 500;

/** What a pod has too many of nobody is asked about, and no outage lets it through. */
export async function countedFirst(
  images: readonly string[],
  ask: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  if (images.length <= mostImages) return ask();
  const note = `${images.length}, and ${mostImages} are the most`;
  const judgement = { kind: 'untrusted', why: 'too-many-images', note } as const;
  return images.map((image) => ({ image, judgement }));
}
