import { judgementOf } from '#shared/domain/image-trust/judging-notary.ts';
import { pinsFor } from '#shared/domain/image-trust/pins-for.ts';
import { milliseconds } from '#shared/domain/image-trust/settings.ts';
import { findTarget, type Wanted } from '#shared/domain/image-trust/tuf/target.ts';
import { namespaceLimits, type Trust, usualLimits } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Verified } from '#shared/domain/image-trust/tuf/verify-target.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import { type Asked, anyDigest } from '#shared/domain/image-trust/verdict-store.ts';
import type { NotaryVerifier } from '#shared/domain/image-trust/verifiers/notary.ts';
import type { Prover } from './proof.ts';
import type { Subject } from './subject.ts';

export type NotaryQuestion = {
  readonly server: Pick<NotaryVerifier, 'url' | 'reach'>;
  readonly wanted: Wanted;
  readonly trust: Trust;
  readonly signal: AbortSignal;
};

/** A Notary is read once for all images of a repository. */
export function notaryProver(
  ask: (question: NotaryQuestion) => Promise<Verified>,
): Prover<NotaryVerifier> {
  return {
    reads: 'repository',
    async prove(verifier, { askable, subject, anchor, firstUse, now, signal }, [wish]) {
      const { gun, owner, collection } = subject;
      const pins = pinsFor(verifier.url, owner, askable.settings.notary);
      const limits = owner === 'platform' ? usualLimits : namespaceLimits;
      const { verdict, repository } = await ask({
        server: verifier,
        wanted: wantedFor({ ...wish, also: [] }),
        trust: { gun, now, anchor, pins, firstUse, roles: verifier.roles, limits },
        signal,
      });
      const isFirstUse = repository?.root.basis === 'first-use';
      const aheadMs = milliseconds(askable.settings.notary.warnBefore);
      const toldBefore = new Date(now.getTime() + aheadMs);
      return {
        anchor: repository?.anchor,
        isFirstUse,
        judge: (asked) => {
          const name = nameIn(subject, asked);
          const about = { server: collection.server, name, digest: asked.digest };
          const word = { ...about, isFirstUse, toldBefore, limits };
          return judgementOf(verdictOn(asked, { verdict, repository }), word);
        },
      };
    },
  };
}

function verdictOn(
  asked: Asked & Pick<Verdict, 'also'>,
  { verdict, repository }: Verified,
): Verified['verdict'] {
  if (repository === undefined) return verdict;
  const target = findTarget(repository, wantedFor(asked));
  return target.ok ? { kind: 'trusted', ...target.value } : target.flaw;
}

function wantedFor({ tag, digest, also }: Asked & Pick<Verdict, 'also'>): Wanted {
  return { tag, digests: [digest, ...also] };
}

function nameIn({ gun }: Subject, { tag, digest }: Asked): string {
  if (tag === undefined && digest === anyDigest) return gun;
  return tag === undefined ? `${gun}@${digest}` : `${gun}:${tag}`;
}
