import type { ImageName } from '#shared/domain/image.ts';
import { isRefusalToAccount, type Judgement } from '#shared/domain/image-trust/judgement.ts';
import { mergeJudgements } from '#shared/domain/image-trust/merge-judgements.ts';
import { vouchingFor } from '#shared/domain/image-trust/registry-rules.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { OriginOf } from '#shared/domain/image-trust/signed-name.ts';
import { type Verifier, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Account } from './account.ts';
import type { Collections } from './collections.ts';
import type { Contents, KnownContent } from './contents.ts';
import type { Naming } from './naming.ts';
import type { Askable, JudgeParts } from './parts.ts';
import { verdictBy } from './verdict-by.ts';

export type Look = {
  readonly rules: TrustRules;
  readonly askable: Askable;
  readonly originOf: OriginOf;
  readonly isDryRun: boolean;
  readonly account: Account;
  readonly logins: () => Promise<readonly RegistryLogin[]>;
  readonly signal: AbortSignal;
  /** How long its registry alone is waited for, of the time that there is. */
  readonly patienceMs: number;
};

export type Seen = {
  readonly judgement: Judgement;
  /** By their keys: all that it is made of, beside what the registry says. */
  readonly collections: readonly string[];
  /** The same is answered to anybody until then; to whoever asks next it is looked at again where there is no time. */
  readonly until: Date | undefined;
};

export type Tools = Pick<JudgeParts, 'clock' | 'boundMs' | 'patienceMs'> & {
  readonly contents: Contents;
  readonly collections: Collections;
  readonly naming: Naming;
};

export const endOfTime = new Date(8.64e15);

export type Vouching = Look & {
  readonly signed: ImageName;
  readonly pulled: ImageName;
  readonly content: KnownContent;
  /** Where its registry was not heard: whoever has not verified the digest before does not begin now. */
  readonly unread: Judgement | undefined;
};

/** What those say who have to vouch, all asked at once. */
export async function vouched(tools: Tools, vouching: Vouching): Promise<Seen> {
  const { rules, signed, content, isDryRun } = vouching;
  const { verifiers, need } = vouchingFor(signed, rules);
  const [first, ...rest] = verifiers;
  const ask = (verifier: Verifier) => verdictBy(verifier, tools, vouching);
  const [one, others] = await Promise.all([ask(first), Promise.all(rest.map(ask))]);
  const all = [one, ...others];
  const merged = mergeJudgements(
    [one.judgement, ...others.map(({ judgement }) => judgement)],
    need,
  );
  const ends = [...all.map(({ freshUntil }) => freshUntil), content.until ?? endOfTime];
  const isOwn = all.some((each) => isRefusalToAccount(each.judgement));
  const isShared = !isDryRun && !isOwn && content.facts !== undefined;
  const judgement = withChildren(merged, content);
  // Before it is told: whoever validates may be another replica.
  if (judgement.kind === 'trusted' && !isDryRun) await tools.contents.keepTrusted(content);
  const collections = all.map(({ collection }) => collection);
  return { judgement, collections, until: isShared ? earliest(ends) : undefined };
}

export function withChildren(judgement: Judgement, { facts }: KnownContent): Judgement {
  if (judgement.kind !== 'trusted') return judgement;
  if (facts !== undefined) return { ...judgement, children: facts.children };
  // Who reads what it vouches for has kept what that is.
  if (wordsFor(judgement.by.verifier).readsManifests) return judgement;
  return { ...judgement, remarks: [...judgement.remarks, 'unseen'] };
}

function earliest(dates: readonly Date[]): Date {
  return dates.reduce((one, other) => (other < one ? other : one), endOfTime);
}
