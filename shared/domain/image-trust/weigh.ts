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
  if (trust.kind === 'broken') {
    return { findings: untrustedByRules(images, trust.problems), isStrict: true };
  }
  return { findings: await ask(trust.rules), isStrict: trust.isStrict };
}
