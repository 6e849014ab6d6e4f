import {
  isRefusal,
  isRefusalToAccount,
  type Judgement,
} from '#shared/domain/image-trust/judgement.ts';
import type { FirstUse } from '#shared/domain/image-trust/tuf/trust.ts';
import {
  isFresh,
  standingIn,
  stillServes,
  type Verdict,
} from '#shared/domain/image-trust/verdict.ts';
import {
  type Asked,
  type Before,
  type KeptAnchor,
  mostRootsOfNamespace,
} from '#shared/domain/image-trust/verdict-store.ts';
import { anchored, knownAnchor, type Standing, type Trip } from './anchoring.ts';
import type { Flight, Verdicts } from './flight.ts';
import type { Hangar } from './hangar.ts';
import { judgedWish } from './judged-wish.ts';
import { type Proof, proverOf } from './proof.ts';
import { standInFor } from './standing-in.ts';
import { type Subject, verdictKey, type Wish, wishKey } from './subject.ts';
import { timesFor } from './times-for.ts';

/** Whoever keeps losing against others who write has something to tell, and the next review will hear it. */
const mostTries = 4;

/** Reads the anchor, proves under it, and keeps what was proven; from the start where somebody else was faster. */
export async function proveFor(hangar: Hangar, flight: Flight, trip: Trip): Promise<Verdicts> {
  for (let tries = 1; ; tries += 1) {
    const known = await knownAnchor(hangar, trip);
    const meanwhile = standInFor(hangar, flight, { ...trip, ...known });
    const under = { flight, trip, isShared: known.isShared };
    const proof = await provenUnder(known.kept, hangar, under).finally(meanwhile.end);
    const stands = await anchored(hangar, proof, { ...trip, ...known });
    if (stands.kind !== 'overtaken' || tries === mostTries) {
      return concluded(hangar, flight, { ...trip, proof, stands });
    }
  }
}

type Under = { readonly flight: Flight; readonly trip: Trip; readonly isShared: boolean };

function provenUnder(
  kept: KeptAnchor | undefined,
  { clock }: Hangar,
  { flight, trip, isShared }: Under,
): Promise<Proof> {
  const { askable, subject, signal } = trip;
  const prover = proverOf({ askable, subject });
  if (prover.reads === 'images') flight.close();
  const [first, ...rest] = flight.wishes();
  if (first === undefined) throw new Error('nothing is asked');
  const proving = { askable, subject, signal, anchor: kept?.anchor, now: clock.now() };
  const firstUse = firstUseOf(askable.settings.notary.firstUse, isShared);
  return prover.prove(subject.verifier, { ...proving, firstUse }, [first, ...rest]);
}

/** What could not be kept would be a first use again for whoever asks next. */
function firstUseOf(stated: 'allow' | 'refuse', isShared: boolean): FirstUse {
  return stated === 'allow' && !isShared ? 'defer' : stated;
}

type Conclusion = Trip & { readonly proof: Proof; readonly stands: Standing };

async function concluded(
  hangar: Hangar,
  flight: Flight,
  conclusion: Conclusion,
): Promise<Verdicts> {
  const { stands, subject } = conclusion;
  flight.close();
  const wishes = flight.wishes();
  const before = [...conclusion.before, ...flight.joined()];
  const judged = await Promise.all(wishes.map((wish) => verdictOn(wish, hangar, conclusion)));
  const verdicts = new Map(judged.map((verdict) => [wishKey(verdict), verdict]));
  if (['unkept', 'overtaken', 'full'].includes(stands.kind)) return verdicts;

  const knownOf = (verdict: Verdict) => hangar.verdicts.find(verdictKey(subject, verdict));
  const lasting = judged.filter(
    (verdict, at) => isLasting(wishes[at], verdict) || isTakenBack(knownOf(verdict), verdict),
  );
  const others =
    stands.kind === 'kept'
      ? await keptForAll(hangar, { lasting, verdicts }, { ...conclusion, before }, stands)
      : new Map<string, Verdict>();
  for (const verdict of lasting) {
    const stood = others.get(wishKey(verdict)) ?? verdict;
    hangar.verdicts.keep(verdictKey(subject, stood), stood);
  }
  return new Map([...verdicts, ...others]);
}

type Kept = { readonly lasting: readonly Verdict[]; readonly verdicts: Verdicts };

/** Gives back what stands in the place of what was found out: somebody was faster, and knows better. */
async function keptForAll(
  hangar: Hangar,
  { lasting, verdicts }: Kept,
  conclusion: Conclusion,
  { root, isChange }: Extract<Standing, { kind: 'kept' }>,
): Promise<Verdicts> {
  const { attempt, store } = hangar;
  const { proof, subject, before } = conclusion;
  const keep = (all: readonly Verdict[], there: readonly Before[], isNews: boolean) =>
    attempt(() => store.keep(subject.collection, all, { root, isChange: isNews, before: there }));
  const [others, passedOver] = await Promise.all([
    proof.anchor === undefined ? [] : provenAgain(hangar, verdicts, conclusion),
    keep(lasting, before, false),
  ]);
  // Whoever is told of a change reads again, and has to find all of it.
  const isNews = isChange || others.some((other) => other.isChange);
  const again = others.map(({ verdict }) => verdict);
  const there = others.map((other) => other.there);
  if (isNews || again.length > 0) await keep(again, there, isNews);
  return standingInstead(hangar, verdicts, subject, passedOver?.value ?? []);
}

async function standingInstead(
  { attempt, store }: Hangar,
  verdicts: Verdicts,
  { collection }: Subject,
  passedOver: readonly Asked[],
): Promise<Verdicts> {
  if (passedOver.length === 0) return new Map();
  const found = (await attempt(() => store.find(collection, passedOver)))?.value ?? [];
  const theirs = found.map((each) => [wishKey(each), each] as const);
  const ours = passedOver.flatMap((each) => verdicts.get(wishKey(each)) ?? []).map(contradictedBy);
  return new Map([...ours, ...theirs]);
}

/** It takes the place of what was trusted before in memory too, and is asked for again by whoever comes next. */
function contradictedBy(verdict: Verdict) {
  const ended = new Date(0);
  const unread = { ...verdict, judgement: contradicted, freshUntil: ended, validUntil: ended };
  return [wishKey(verdict), unread] as const;
}

const contradicted: Judgement = {
  kind: 'unavailable',
  why: 'contradicted',
  note: 'what was found out meanwhile cannot be read now',
};

/** What could not be known of an image must not count against it when it is, nor for others what one was not shown. */
function isLasting(wish: Wish | undefined, { judgement }: Verdict): boolean {
  if (isRefusalToAccount(judgement)) return false;
  return wish?.isWhole === true || judgement.kind === 'trusted';
}

/** What others were told, and what was found out for them, is not true any more, whoever hears of it. */
function isTakenBack(known: Verdict | undefined, { judgement }: Verdict): boolean {
  const isTold = judgement.kind === 'untrusted' && !isRefusal(judgement);
  return isTold && known?.judgement.kind === 'trusted';
}

async function verdictOn(
  wish: Wish,
  hangar: Hangar,
  { proof, stands, subject, askable, signal }: Conclusion,
): Promise<Verdict> {
  const known = hangar.verdicts.find(verdictKey(subject, wish));
  const { judgement, also } = await judgedWish(wish, {
    judge: (others) => judgementFor({ ...wish, also: others }, proof, stands),
    proven: known?.also ?? [],
    registry: askable.registry,
    signal,
  });
  const now = hangar.clock.now();
  const times = timesFor(judgement, hangar, askable);
  if (isUnheard(judgement) && known !== undefined && stillServes(known, now)) {
    return standingIn(known, times);
  }
  const { tag, digest } = wish;
  return { tag, digest, also, judgement, ...times };
}

/** What one account was not shown keeps nothing standing that all others are told. */
function isUnheard(judgement: Judgement): boolean {
  if (isRefusalToAccount(judgement)) return false;
  return judgement.kind === 'unavailable' || isRefusal(judgement);
}

type Judged = Asked & Pick<Verdict, 'also'>;

function judgementFor(asked: Judged, proof: Proof, stands: Standing): Judgement {
  if (stands.kind === 'overtaken') return notKept;
  if (stands.kind === 'full') return tooManyRoots;
  return proof.judge(asked) ?? notAsked;
}

const notKept: Judgement = {
  kind: 'unavailable',
  why: 'root-not-kept',
  note: 'what was seen for the first time could not be kept',
};

/** No outage: whoever fills it would else have everything admitted where the namespace is not strict. */
const tooManyRoots: Judgement = {
  kind: 'untrusted',
  why: 'too-many-roots',
  note:
    `the namespace's own Notaries have shown roots for ${mostRootsOfNamespace} repositories, and no more are trusted on first use: ` +
    'have fewer repositories, or the root of this one pinned; one that nobody asks for is forgotten after half a year',
};

const notAsked: Judgement = {
  kind: 'unavailable',
  why: 'too-slow',
  note: 'it was asked for too late to be verified with the others',
};

const mostOthers = 500;

type Other = { readonly verdict: Verdict; readonly there: Before; readonly isChange: boolean };

/**
 * One reading of the repository is news for all of its images that were asked for before. Of what was taken back nobody
 * knows whether that was before this reading began, nor of what is refused whether its configuration is signed now: whoever
 * asks for it has it proven.
 */
async function provenAgain(
  hangar: Hangar,
  told: Verdicts,
  { proof, stands, subject, askable }: Conclusion,
): Promise<readonly Other[]> {
  const { attempt, store, clock } = hangar;
  const now = clock.now();
  const isNews = stands.kind === 'kept' && stands.isChange;
  const kept = (await attempt(() => store.list(subject.collection, mostOthers)))?.value ?? [];
  return kept
    .filter((each) => !told.has(wishKey(each)) && (isNews || !isFresh(each, now)))
    .filter(({ judgement }) => judgement.kind !== 'untrusted')
    .flatMap((each) => {
      const judgement = proof.judge(each);
      if (judgement === undefined || isUnheard(judgement)) return [];
      const times = timesFor(judgement, hangar, askable);
      const isChange = judgement.kind !== each.judgement.kind;
      return [{ verdict: { ...each, judgement, ...times }, there: each, isChange }];
    });
}
