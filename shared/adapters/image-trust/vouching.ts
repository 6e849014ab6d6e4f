import type { ImageName } from '#shared/domain/image.ts';
import {
  isRefusalToAccount,
  isSilence,
  type Judgement,
} from '#shared/domain/image-trust/judgement.ts';
import { mergeJudgements } from '#shared/domain/image-trust/merge-judgements.ts';
import { vouchingFor } from '#shared/domain/image-trust/registry-rules.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { milliseconds } from '#shared/domain/image-trust/settings.ts';
import { type OriginOf, tagOf } from '#shared/domain/image-trust/signed-name.ts';
import {
  isFresh,
  servesRefused,
  standingIn,
  stillServes,
  type Verdict,
  wasSilent,
} from '#shared/domain/image-trust/verdict.ts';
import { type Verifier, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Account } from './account.ts';
import { crowdedAlone } from './alone.ts';
import type { Collections } from './collections.ts';
import type { Contents, KnownContent } from './contents.ts';
import { inTime } from './in-time.ts';
import type { Askable, JudgeParts } from './parts.ts';
import { type Subject, subjectOf, type Wish } from './subject.ts';

export type Look = {
  readonly rules: TrustRules;
  readonly askable: Askable;
  readonly originOf: OriginOf;
  readonly isDryRun: boolean;
  readonly account: Account;
  readonly logins: () => Promise<readonly RegistryLogin[]>;
  readonly signal: AbortSignal;
};

export type Seen = {
  readonly judgement: Judgement;
  /** The same is answered to anybody until then; to whoever asks next it is looked at again where there is no time. */
  readonly until: Date | undefined;
};

export type Tools = Pick<JudgeParts, 'clock' | 'boundMs' | 'patienceMs'> & {
  readonly contents: Contents;
  readonly collections: Collections;
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
  return { judgement, until: isShared ? earliest(ends) : undefined };
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

type Wishing = Pick<Vouching, 'signed' | 'pulled' | 'content' | 'account' | 'askable'> &
  Pick<Wish, 'logins'>;

export function wishOf(vouching: Wishing): Wish {
  const { signed, pulled, content, logins, account, askable } = vouching;
  const { facts, digest, shown } = content;
  const accepts = askable.settings.acceptConfigDigest;
  const configuration = accepts ? facts?.config : undefined;
  const isWhole = facts !== undefined;
  const named = { tag: tagOf(signed), digest, signed, pulled };
  return { ...named, configuration, logins, account, shown, isWhole };
}

async function verdictBy(
  verifier: Verifier,
  tools: Tools,
  vouching: Vouching,
): Promise<Pick<Verdict, 'judgement' | 'freshUntil'>> {
  const { askable, rules, signed, unread } = vouching;
  const subject = subjectOf(verifier, { signed, owner: rules.owner, askable });
  // What is known takes no credentials, and no reading of them.
  const wish = wishOf({ ...vouching, logins: [] });
  const known = await tools.collections.recall(subject, wish);
  const asked = tools.clock.now();
  if (known !== undefined && isFresh(known, asked)) return known;

  const older = known !== undefined && stillServes(known, asked) ? known : undefined;
  if (older === undefined && unread !== undefined) return { judgement: unread, freshUntil: asked };
  return askedAnew(tools, vouching, { subject, wish, older, asked });
}

type Anew = {
  readonly subject: Subject;
  readonly wish: Wish;
  /** What is left to go on by. */
  readonly older: Verdict | undefined;
  readonly asked: Date;
};

async function askedAnew(
  { collections, patienceMs }: Tools,
  { askable, rules, isDryRun, logins, signal }: Vouching,
  { subject, wish, older, asked }: Anew,
): Promise<Pick<Verdict, 'judgement' | 'freshUntil'>> {
  const verification = { subject, isDryRun, askable };
  const verifying = logins().then((own) =>
    collections.verify(verification, { ...wish, logins: own }),
  );
  // Whoever was not heard a moment ago is asked behind those who have something to go on by.
  const isSilent = older !== undefined && wasSilent(older, asked);
  const timeoutMs = older === undefined ? rules.timeoutMs : Math.min(rules.timeoutMs, patienceMs);
  const told = await inTime(verifying, { rules: { timeoutMs: isSilent ? 0 : timeoutMs }, signal });
  if (older !== undefined) return newer(told, older, { asked, periodMs: periodIn(askable) });
  if (told !== undefined) return told;
  const isCrowded = collections.hasWaited(verification, wish);
  return { judgement: isCrowded ? crowdedAlone : tooSlow(whoIn(subject)), freshUntil: asked };
}

export function tooSlow(who: string): Judgement {
  return { kind: 'unavailable', why: 'too-slow', note: `${who} does not answer in time` };
}

function whoIn({ collection }: Subject): string {
  return collection.server || 'the registry';
}

/** How often running pods are looked at. */
function periodIn({ settings }: Askable): number {
  return milliseconds(settings.operator.podReconcilerRequeueAfter);
}

type Asking = { readonly asked: Date; readonly periodMs: number };

/** What others were shown lately is as good as it was for whoever is not shown it: for him alone, and while it serves. */
function newer(told: Verdict | undefined, older: Verdict, { asked, periodMs }: Asking) {
  const isUnheard = told === undefined || isSilence(told.judgement);
  if (isUnheard) return standingIn(older, { freshUntil: asked });
  const isRefused = isRefusalToAccount(told.judgement) && servesRefused(older, asked, periodMs);
  return isRefused ? standingIn(older, { freshUntil: asked }) : told;
}
