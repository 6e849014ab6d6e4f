import { canonical, type ImageName } from '#shared/domain/image.ts';
import { gunOf } from '#shared/domain/image-trust/gun.ts';
import type { TrustRules, Verifier } from '#shared/domain/image-trust/rules.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import { ownerName, trustText } from '#shared/domain/image-trust/trust-hash.ts';
import type { Pin } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Asked, Collection } from '#shared/domain/image-trust/verdict-store.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import { sha256 } from './sha256.ts';

/** One repository as one verifier is asked about it. */
export type Subject = {
  readonly collection: Collection;
  readonly verifier: Verifier;
  readonly gun: string;
  readonly pins: readonly Pin[];
  /** Of the anchor, which does not depend on what else is trusted. */
  readonly anchorKey: string;
};

/** One image of it. */
export type Wish = Asked & {
  readonly also: readonly string[];
  readonly signed: ImageName;
  readonly pulled: ImageName;
  /** Whether all is known of it that could be signed. */
  readonly isWhole: boolean;
  readonly logins: readonly RegistryLogin[];
};

type Named = {
  readonly signed: ImageName;
  readonly owner: TrustRules['owner'];
  readonly settings: ImageTrustSettings;
};

export function subjectOf(verifier: Verifier, { signed, owner, settings }: Named): Subject {
  const gun = gunOf(signed, settings.notary);
  // The platform's pins are about its own Notary; a namespace that names another one chooses its roots.
  const pins = owner === 'platform' ? settings.notary.pins : [];
  const { acceptConfigDigest } = settings;
  const authorities = authoritiesOf(verifier, settings);
  const basis = { verifier, owner, gun, pins, acceptConfigDigest, authorities };
  const place = {
    verifier: verifier.kind,
    server: verifier.kind === 'notary' ? serverOf(verifier.url) : '',
    name: gun,
    owner: ownerName(owner),
  };
  return {
    collection: { key: sha256(trustText(basis)), ...place },
    anchorKey: JSON.stringify(place),
    ...{ verifier, gun, pins },
  };
}

/** A slash at its end makes no other server of it. */
function serverOf(url: string): string {
  return url.replace(/\/+$/, '');
}

function authoritiesOf(verifier: Verifier, { cosign }: ImageTrustSettings): readonly string[] {
  if (verifier.kind === 'notary') return [];
  const { authorities } = verifier;
  return cosign.authorities
    .filter(({ name }) => authorities.length === 0 || authorities.includes(name))
    .map((authority) => JSON.stringify(authority));
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
