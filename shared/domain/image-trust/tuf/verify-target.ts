import type { Asking } from './asking.ts';
import { distrusted, type Flaw } from './finding.ts';
import type { Cryptography } from './key.ts';
import { isDelegation, isGun } from './names.ts';
import { type Repository, readRepository } from './repository.ts';
import { findTarget, type SignedTarget, type Wanted } from './target.ts';
import type { Trust } from './trust.ts';

export type TufVerdict = ({ readonly kind: 'trusted' } & SignedTarget) | Flaw;

/** The verdict, and what is known of the collection whatever the verdict is: nothing if it does not hold together. */
export type Verified = {
  readonly verdict: TufVerdict;
  readonly repository: Repository | undefined;
};

/** Whether an image is signed. It never throws, whatever a server sends. */
export function* verifyTarget(
  wanted: Wanted,
  trust: Trust,
  crypto: Cryptography,
): Asking<Verified> {
  const flaw = flawOfQuestion(trust);
  if (flaw !== undefined) return { verdict: flaw, repository: undefined };

  const repository = yield* readRepository(trust, crypto);
  if (!repository.ok) return { verdict: repository.flaw, repository: undefined };
  const target = findTarget(repository.value, wanted);
  return {
    verdict: target.ok ? { kind: 'trusted', ...target.value } : target.flaw,
    repository: repository.value,
  };
}

/** Names become paths at the server. */
function flawOfQuestion({ gun, roles }: Trust): Flaw | undefined {
  const isSound = roles.every((role) => role === 'targets' || isDelegation(role));
  return isGun(gun) && isSound ? undefined : distrusted('targets', 'bad-name').flaw;
}
