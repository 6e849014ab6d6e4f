import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { mergeJudgements } from '#shared/domain/image-trust/merge-judgements.ts';
import { nameToAsk } from '#shared/domain/image-trust/name-to-ask.ts';
import { vouchingFor } from '#shared/domain/image-trust/registry-rules.ts';
import { wasAsked } from '#shared/domain/image-trust/standing.ts';
import type { Verifier } from '#shared/domain/image-trust/verifiers.ts';
import { nobody } from './account.ts';
import { bareContent } from './contents.ts';
import { subjectOf, type Wish } from './subject.ts';
import { wishOf } from './verdict-by.ts';
import { type Look, type Tools, withChildren } from './vouching.ts';

/** A review validates what another one made fresh: what has passed its time since serves for as long as both may take. */
const graceMs = 60_000;

/** From what is known: nobody outside is asked. */
export async function recalled(tools: Tools, image: string, given: Look): Promise<Judgement> {
  const named = nameToAsk(image, given.originOf, given.rules);
  if (named.kind === 'told') return named.judgement;
  const { signed, pulled } = named;
  const { digest } = pulled;
  const known = await tools.contents.recall(pulled, graceMs);
  const content = known ?? (digest === undefined ? undefined : bareContent(digest));
  if (content === undefined) return notVerified(image);
  const wish = wishOf({
    signed,
    pulled,
    content,
    logins: [],
    account: nobody,
    askable: given.askable,
  });
  const recall = (verifier: Verifier) => recallBy(verifier, tools, { ...given, wish, image });
  const { verifiers, need } = vouchingFor(signed, given.rules);
  const [first, ...rest] = verifiers;
  const [one, others] = await Promise.all([recall(first), Promise.all(rest.map(recall))]);
  const judgement = mergeJudgements([one, ...others], need);
  // As long as one of them was not asked, nobody is away for all.
  const unasked = [one, ...others].find((each) => !wasAsked({ image, judgement: each }));
  if (judgement.kind === 'unavailable' && unasked !== undefined) return unasked;
  return withChildren(judgement, content);
}

export function notVerified(image: string): Judgement {
  const note = `${image} has not been verified yet`;
  return { kind: 'unavailable', why: 'not-verified', note };
}

type Recalling = Look & { readonly wish: Wish; readonly image: string };

async function recallBy(
  verifier: Verifier,
  { collections, clock }: Tools,
  { askable, rules, wish, image }: Recalling,
): Promise<Judgement> {
  const { signed, pulled } = wish;
  const subject = subjectOf(verifier, { signed, pulled, owner: rules.owner, askable });
  const verdict = await collections.recall(subject, wish);
  if (verdict === undefined) return notVerified(image);
  const now = clock.now();
  const isRecent = now.getTime() < verdict.freshUntil.getTime() + graceMs;
  const isValid = verdict.judgement.kind !== 'trusted' || now < verdict.validUntil;
  return isRecent && isValid ? verdict.judgement : notVerified(image);
}
