import type { Envelope } from './envelope.ts';
import { type Checked, distrusted, held, rolledBack } from './finding.ts';
import type { Cryptography } from './key.ts';
import { checkSignatures, type Signers } from './signatures.ts';
import type { SeenRoles } from './trust.ts';

/** What a file of any role has to stand up to. */
export type Measure = {
  readonly signers: Signers;
  readonly crypto: Cryptography;
  readonly now: Date;
  readonly seen: SeenRoles;
};

export type Proven<T> = { readonly content: T; readonly keyIds: readonly string[] };

export function seenNow({ content, keyIds }: Proven<Dated>): SeenRoles[string] {
  return { version: content.version, keyIds };
}

type Dated = { readonly version: number; readonly expires: Date };

/** Nothing of it is read before its signatures hold. */
export function checkRole<T extends Dated>(
  role: string,
  { envelope, read }: { readonly envelope: Envelope; read(from: Envelope): Checked<T> },
  { signers, crypto, now, seen }: Measure,
): Checked<Proven<T>> {
  const signed = checkSignatures(role, envelope, { signers, crypto });
  if (!signed.ok) return signed;
  const content = read(envelope);
  if (!content.ok) return content;
  const last = lastVersion(seen[role], signers);
  if (content.value.version < last) return rolledBack(role, last);
  if (content.value.expires <= now) return distrusted(role, 'expired');
  return held({ content: content.value, keyIds: signed.value });
}

/**
 * What was seen under keys that are gone binds nobody: whoever had stolen one could have signed a version so high
 * that nothing honest would ever come after it.
 */
export function lastVersion(seen: SeenRoles[string] | undefined, { keyIds }: Signers): number {
  return seen?.keyIds.some((id) => keyIds.includes(id)) === true ? seen.version : 0;
}
