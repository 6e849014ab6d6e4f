import type { ImageName } from '#shared/domain/image.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { CosignVerifier } from '#shared/domain/image-trust/rules.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { OriginOf } from '#shared/domain/image-trust/signed-name.ts';
import type { Wanted } from '#shared/domain/image-trust/tuf/target.ts';
import type { Trust } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Verified } from '#shared/domain/image-trust/tuf/verify-target.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Reach } from '#shared/domain/outside.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Registry, RegistryAccess } from '#shared/domain/registry/registry.ts';
import type { Clock, ImagesAsked } from '#shared/ports.ts';

export type NotaryQuestion = {
  readonly server: { readonly url: string; readonly reach: Reach };
  readonly wanted: Wanted;
  readonly trust: Trust;
  readonly signal: AbortSignal;
};

export type CosignQuestion = {
  /** By which name it has to be signed, and from where it is pulled. */
  readonly signed: ImageName;
  readonly pulled: ImageName;
  readonly digest: string;
  readonly verifier: CosignVerifier;
  readonly access: RegistryAccess;
};

/** What is asked outside, made of one configuration. */
export type Askable = {
  readonly settings: ImageTrustSettings;
  readonly registry: Registry;
  notary(question: NotaryQuestion): Promise<Verified>;
  /** Where no authorities are configured, nobody vouches. */
  cosign(question: CosignQuestion): Promise<Judgement>;
};

export type Pod = NonNullable<ImagesAsked['pod']>;

/** What is shared by all that is opened for one process. */
export type JudgeParts = {
  askable(): Askable;
  readonly store: VerdictStore;
  readonly clock: Clock;
  originOf(): Promise<OriginOf>;
  /** Never fails: a Secret that cannot be read opens nothing. */
  loginsOf(pod: Pod): Promise<readonly RegistryLogin[]>;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Of a claim; half of what an admission may take. */
  readonly leaseMs: number;
  /** No verification and no reading of a manifest takes longer, whoever still waits for it. */
  readonly boundMs: number;
};
