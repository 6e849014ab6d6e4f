import type { ImageName } from '#shared/domain/image.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { CosignVerifier } from '#shared/domain/image-trust/verifiers/cosign.ts';
import type { RegistryAccess } from '#shared/domain/registry/registry.ts';
import type { Prover } from './proof.ts';
import type { Shown } from './shown.ts';
import { type Wish, wishKey, wishName } from './subject.ts';

export type CosignQuestion = {
  /** By which name it has to be signed, and from where it is pulled. */
  readonly signed: ImageName;
  readonly pulled: ImageName;
  readonly digest: string;
  readonly shown: Shown | undefined;
  readonly verifier: CosignVerifier;
  readonly access: RegistryAccess;
};

/** Each image has signatures of its own. Where no authorities are configured, nobody vouches. */
export function cosignProver(
  ask: (question: CosignQuestion) => Promise<Judgement>,
): Prover<CosignVerifier> {
  return {
    reads: 'images',
    async prove(verifier, { signal }, wishes) {
      const judged = await Promise.all(
        wishes.map(async (wish) => {
          const { signed, pulled, digest, shown, logins } = wish;
          const access = { logins, reach: 'internal', signal } as const;
          const judgement = await ask({ signed, pulled, digest, shown, verifier, access });
          return [wishKey(wish), named(judgement, wish)] as const;
        }),
      );
      const judgements = new Map(judged);
      return {
        anchor: undefined,
        isFirstUse: false,
        judge: (asked) => judgements.get(wishKey(asked)),
      };
    },
  };
}

/** A digest has no name of its own there: it vouches for whatever name it was asked under. */
function named(judgement: Judgement, wish: Wish): Judgement {
  if (judgement.kind !== 'trusted') return judgement;
  return { ...judgement, by: { ...judgement.by, name: judgement.by.name || wishName(wish) } };
}
