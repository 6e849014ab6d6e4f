import { canonical, type ImageName } from '#shared/domain/image.ts';
import { gunOf } from '#shared/domain/image-trust/gun.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { ownerName, trustText } from '#shared/domain/image-trust/trust-hash.ts';
import type { Asked, Collection } from '#shared/domain/image-trust/verdict-store.ts';
import { type Verifier, wordsFor } from '#shared/domain/image-trust/verifiers.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Account } from './account.ts';
import type { Askable } from './parts.ts';
import { sha256 } from './sha256.ts';
import type { Shown } from './shown.ts';

/** One repository as one verifier is asked about it. */
export type Subject = {
  readonly collection: Collection;
  readonly verifier: Verifier;
  readonly gun: string;
  readonly owner: TrustRules['owner'];
  /** Of the anchor, which does not depend on what else is trusted. */
  readonly anchorKey: string;
};

/** One image of it. */
export type Wish = Asked & {
  /** What its manifest calls so, where a signature of it counts; nobody has looked at it yet. */
  readonly configuration: string | undefined;
  readonly signed: ImageName;
  readonly pulled: ImageName;
  /** Where it was read for this very question: else whoever needs it asks its registry. */
  readonly shown: Shown | undefined;
  /** Whether all is known of it that could be signed. */
  readonly isWhole: boolean;
  readonly logins: readonly RegistryLogin[];
  /** Whose they are. */
  readonly account: Account;
};

type Named = {
  readonly signed: ImageName;
  readonly pulled: ImageName;
  readonly owner: TrustRules['owner'];
  readonly askable: Pick<Askable, 'settings' | 'files'>;
};

export function subjectOf(verifier: Verifier, { signed, pulled, owner, askable }: Named): Subject {
  const { settings, files } = askable;
  const gun = gunOf(signed, settings.notary);
  const from = gunOf(pulled, settings.notary);
  const pulledAs = from === gun ? undefined : from;
  const place = {
    verifier: verifier.kind,
    server: wordsFor(verifier.kind).serverOf(verifier),
    name: gun,
    owner: ownerName(owner),
  };
  return {
    collection: {
      key: sha256(trustText(verifier, { owner, gun, pulledAs, settings, files })),
      ...place,
    },
    anchorKey: JSON.stringify(place),
    ...{ verifier, gun, owner },
  };
}

export function wishKey({ tag, digest }: Asked): string {
  return `${tag ?? ''}@${digest}`;
}

export function verdictKey({ collection }: Subject, wish: Pick<Wish, 'tag' | 'digest'>): string {
  return `${collection.key} ${wishKey(wish)}`;
}

/** As people write it. */
export function wishName({ signed, tag, digest }: Pick<Wish, 'signed' | 'tag' | 'digest'>): string {
  const { registry, repository } = signed;
  return canonical({ registry, repository, tag, digest: tag === undefined ? digest : undefined });
}
