import {
  isRefusalToAccount,
  isSilence,
  type Judgement,
} from '#shared/domain/image-trust/judgement.ts';
import { milliseconds } from '#shared/domain/image-trust/settings.ts';
import { tagOf } from '#shared/domain/image-trust/signed-name.ts';
import {
  isFresh,
  servesRefused,
  standingIn,
  stillServes,
  type Verdict,
  wasSilent,
} from '#shared/domain/image-trust/verdict.ts';
import { anyDigest } from '#shared/domain/image-trust/verdict-store.ts';
import { type Verifier, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import { crowdedAlone } from './alone.ts';
import { bareContent, type KnownContent } from './contents.ts';
import type { Verification } from './hangar.ts';
import { inTime } from './in-time.ts';
import { crowdedNames } from './naming.ts';
import type { Askable } from './parts.ts';
import { type Subject, subjectOf, type Wish } from './subject.ts';
import type { Tools, Vouching } from './vouching.ts';

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

type Told = Pick<Verdict, 'judgement' | 'freshUntil'>;

/** What one of those who have to vouch says, and of which collection it is true until that changes. */
export async function verdictBy(
  verifier: Verifier,
  tools: Tools,
  vouching: Vouching,
): Promise<Told & { readonly collection: string }> {
  const { askable, rules, signed, pulled } = vouching;
  const subject = subjectOf(verifier, { signed, pulled, owner: rules.owner, askable });
  const { judgement, freshUntil } = await toldBy(verifier, tools, { ...vouching, subject });
  return { judgement, freshUntil, collection: subject.collection.key };
}

async function toldBy(
  verifier: Verifier,
  tools: Tools,
  { subject, ...vouching }: Vouching & { readonly subject: Subject },
): Promise<Told> {
  const { unread } = vouching;
  // What is known takes no credentials, and no reading of them.
  const wish = wishOf({ ...vouching, logins: [] });
  const isUntold = unread !== undefined && wish.digest === anyDigest;
  const known = isUntold ? undefined : await tools.collections.recall(subject, wish);
  const asked = tools.clock.now();
  if (known !== undefined && isFresh(known, asked)) return known;

  const older = known !== undefined && stillServes(known, asked) ? known : undefined;
  return older === undefined && unread !== undefined
    ? namedBy(verifier, tools, { ...vouching, unread })
    : askedAnew(tools, vouching, { subject, wish, older, asked });
}

/**
 * Whoever runs a registry can keep it from us and not from the nodes: what nobody signs under that name would run as what could
 * not be looked at, wherever nobody is strict. It is no way to begin to be trusted.
 */
async function namedBy(
  verifier: Verifier,
  tools: Tools,
  { unread, ...vouching }: Vouching & { readonly unread: Judgement },
): Promise<Told> {
  const nothingNew = { judgement: unread, freshUntil: tools.clock.now() };
  const words = wordsFor(verifier.kind);
  if (!words.answersFor(verifier, vouching.signed, vouching.askable.settings)) {
    return { ...nothingNew, judgement: answeredByNobody };
  }
  // Who stands in our own line is refused as it is.
  if (words.readsManifests || isUnasked(unread)) return nothingNew;
  const named = { ...vouching, content: anyContent, unread: undefined };
  const told = await verdictBy(verifier, tools, named);
  return isUnsigned(told.judgement) || isLate(told.judgement) ? told : nothingNew;
}

const answeredByNobody: Judgement = {
  kind: 'untrusted',
  why: 'not-signed',
  note: 'no authority answers for this repository',
};

/** Nothing of it is known, and nothing has to be. */
const anyContent: KnownContent = {
  ...bareContent(anyDigest),
  facts: { digest: anyDigest, children: [], config: undefined },
};

function isUnasked(judgement: Judgement): boolean {
  return judgement.kind === 'unavailable' && judgement.why === 'not-verified';
}

/** Whoever has more time may hear more. */
export function isLate(judgement: Judgement): boolean {
  return isUnasked(judgement) || (judgement.kind === 'unavailable' && judgement.why === 'too-slow');
}

function isUnsigned(judgement: Judgement): boolean {
  return judgement.kind === 'untrusted' && judgement.why !== 'other-digest';
}

type Anew = {
  readonly subject: Subject;
  readonly wish: Wish;
  /** What is left to go on by. */
  readonly older: Verdict | undefined;
  readonly asked: Date;
};

async function askedAnew(
  { collections, naming, patienceMs }: Tools,
  { askable, rules, isDryRun, logins, signal }: Vouching,
  { subject, wish, older, asked }: Anew,
): Promise<Told> {
  const verification = { subject, isDryRun, askable };
  const verifying = naming.inTurn({ verification, wish }, async () =>
    collections.verify(verification, { ...wish, logins: await logins() }),
  );
  // Whoever was not heard a moment ago is asked behind those who have something to go on by.
  const isSilent = older !== undefined && wasSilent(older, asked);
  const timeoutMs = older === undefined ? rules.timeoutMs : Math.min(rules.timeoutMs, patienceMs);
  const told = await inTime(verifying, { rules: { timeoutMs: isSilent ? 0 : timeoutMs }, signal });
  if (older !== undefined) return newer(told, older, { asked, periodMs: periodIn(askable) });
  if (told !== undefined) return told;
  return { judgement: lateness({ collections, naming }, verification, wish), freshUntil: asked };
}

function lateness(
  { collections, naming }: Pick<Tools, 'collections' | 'naming'>,
  verification: Verification,
  wish: Wish,
): Judgement {
  if (naming.hasWaited({ verification, wish })) return crowdedNames;
  if (collections.hasWaited(verification, wish)) return crowdedAlone;
  return tooSlow(whoIn(verification.subject));
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
