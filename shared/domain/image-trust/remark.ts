import type { Voucher } from './judgement.ts';

/** Signed all the same, but to be told. */
export type Remark =
  /** Signed is its configuration's digest, which is deprecated. */
  | 'config-digest'
  /** Its root was trusted because nobody had seen another one. */
  | 'first-use'
  /** Its registry has shown it to nobody whose credentials are known: nobody knows whether it is a list, and of what. */
  | 'unseen'
  /** What proves it has to be signed anew soon. */
  | 'expiring'
  /** Whoever vouched for it could not be asked again. */
  | 'not-asked-again';

const sentences: Readonly<Record<Remark, (by: Voucher) => string>> = {
  'config-digest': () => "signed is its configuration's digest, which is deprecated",
  'first-use': ({ verifier, server }) =>
    `its root${verifier === 'notary' ? ` at ${server}` : ''} was seen for the first time and trusted`,
  unseen: () => 'its registry has not shown it, its digest is signed',
  expiring: () => 'what proves it expires soon, and has to be signed anew',
  'not-asked-again': () => 'nobody could be asked again',
};

/** What an older version has stored is a sentence already. */
export function remarkText(remark: Remark, by: Voucher): string {
  return Object.hasOwn(sentences, remark) ? sentences[remark](by) : remark;
}
