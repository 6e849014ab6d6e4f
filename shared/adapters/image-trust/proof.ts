import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { judgementOf } from '#shared/domain/image-trust/judging-notary.ts';
import { findTarget } from '#shared/domain/image-trust/tuf/target.ts';
import { type Anchor, type FirstUse, usualLimits } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Verified } from '#shared/domain/image-trust/tuf/verify-target.ts';
import type { Asked } from '#shared/domain/image-trust/verdict-store.ts';
import type { Askable } from './parts.ts';
import { type Subject, type Wish, wishKey, wishName } from './subject.ts';

/** All that one reading of a repository proves. */
export type Proof = {
  /** `undefined` for what this reading does not know: it has to be asked again. */
  judge(asked: Asked & Pick<Wish, 'also'>): Judgement | undefined;
  /** To be kept before anybody is told, where it is new. */
  readonly anchor: Anchor | undefined;
  readonly isFirstUse: boolean;
};

export type Proving = {
  readonly askable: Askable;
  readonly subject: Subject;
  readonly anchor: Anchor | undefined;
  readonly firstUse: FirstUse;
  readonly now: Date;
  readonly signal: AbortSignal;
};

export function prove(proving: Proving, wishes: readonly [Wish, ...Wish[]]): Promise<Proof> {
  return proving.subject.verifier.kind === 'notary'
    ? proveByNotary(proving, wishes[0])
    : proveByCosign(proving, wishes);
}

/** A Notary is read once for all images of a repository. */
async function proveByNotary(proving: Proving, wish: Wish): Promise<Proof> {
  const { askable, subject, anchor, firstUse, now, signal } = proving;
  const { verifier, gun, pins, collection } = subject;
  if (verifier.kind !== 'notary') throw new Error('only a Notary is read for a whole repository');
  const { verdict, repository } = await askable.notary({
    server: verifier,
    wanted: wantedFor(wish),
    trust: { gun, now, anchor, pins, firstUse, roles: verifier.roles, limits: usualLimits },
    signal,
  });
  const isFirstUse = repository?.root.basis === 'first-use';
  return {
    anchor: repository?.anchor,
    isFirstUse,
    judge: (asked) => {
      const name = nameIn(subject, asked);
      const word = { server: collection.server, name, digest: asked.digest, isFirstUse };
      return judgementOf(verdictOn(asked, { verdict, repository }), word);
    },
  };
}

function verdictOn(
  asked: Asked & Pick<Wish, 'also'>,
  { verdict, repository }: Verified,
): Verified['verdict'] {
  if (repository === undefined) return verdict;
  const target = findTarget(repository, wantedFor(asked));
  return target.ok ? { kind: 'trusted', ...target.value } : target.flaw;
}

function wantedFor({ tag, digest, also }: Asked & Pick<Wish, 'also'>) {
  return { tag, digests: [digest, ...also] };
}

function nameIn({ gun }: Subject, { tag, digest }: Asked): string {
  return tag === undefined ? `${gun}@${digest}` : `${gun}:${tag}`;
}

/** Each image has signatures of its own. */
async function proveByCosign(
  { askable, subject, signal }: Proving,
  wishes: readonly Wish[],
): Promise<Proof> {
  const { verifier } = subject;
  if (verifier.kind !== 'cosign') throw new Error('only cosign is asked image by image');
  const judged = await Promise.all(
    wishes.map(async (wish) => {
      const { signed, pulled, digest, logins } = wish;
      const access = { logins, reach: 'internal', signal } as const;
      const judgement = await askable.cosign({ signed, pulled, digest, verifier, access });
      return [wishKey(wish), named(judgement, wish)] as const;
    }),
  );
  const judgements = new Map(judged);
  return {
    anchor: undefined,
    isFirstUse: false,
    judge: (asked) => judgements.get(wishKey(asked)),
  };
}

/** A digest has no name of its own there: it vouches for whatever name it was asked under. */
function named(judgement: Judgement, wish: Wish): Judgement {
  if (judgement.kind !== 'trusted') return judgement;
  return { ...judgement, by: { ...judgement.by, name: judgement.by.name || wishName(wish) } };
}
