import type { Envelope } from './envelope.ts';
import { type Checked, type Distrust, distrusted, held } from './finding.ts';
import {
  bareKeyId,
  type CertificateFacts,
  type Cryptography,
  isInForce,
  isStrong,
  type Key,
} from './key.ts';
import type { Root } from './metadata.ts';
import { checkSignatures } from './signatures.ts';
import { type Pin, pinFor, type Trust } from './trust.ts';

export type RootFile = { readonly envelope: Envelope; readonly root: Root };

export type RootProof = { readonly keyIds: readonly string[]; readonly until: Date };

/** Whether it may be the root of this name, now: by its certificates, the pin and its own threshold. */
export function checkRoot(
  { envelope, root }: RootFile,
  trust: Trust,
  crypto: Cryptography,
): Checked<RootProof> {
  const { keys, threshold } = root.signers.root;
  const pinned = pinnedAt(trust.now, root, trust, crypto);
  if (pinned.size === 0) return distrusted('root', whyNonePinned(root, trust, crypto));

  const signers = { keys, keyIds: [...pinned.keys()], threshold };
  const proven = checkSignatures('root', envelope, { signers, crypto });
  if (!proven.ok) return proven;
  if (root.expires <= trust.now) return distrusted('root', 'expired');
  const leaves = proven.value.map((id) => leafOf(keys.get(id), crypto)?.notAfter ?? root.expires);
  const ends = [...leaves, ...proven.value.map((id) => pinned.get(id) ?? root.expires)];
  return held({ keyIds: proven.value, until: earliest([root.expires, ...ends]) });
}

/** Another root than the one that is meant has no key that was ever pinned: who serves can wait for the end of a certificate. */
function whyNonePinned(root: Root, trust: Trust, crypto: Cryptography): Distrust {
  const isCertified = usableAt(undefined, root, trust, crypto).length > 0;
  const wasPinned = pinnedAt(undefined, root, trust, crypto).size > 0;
  return isCertified && !wasPinned ? 'root-not-pinned' : 'bad-certificate';
}

/** Nothing: whatever the dates of certificates are. */
type When = Date | undefined;

/** By the ids of the keys that count, until when their pin holds. */
function pinnedAt(
  when: When,
  root: Root,
  trust: Trust,
  crypto: Cryptography,
): ReadonlyMap<string, Date> {
  const pin = pinFor(trust);
  const { keys } = root.signers.root;
  const pinned = usableAt(when, root, trust, crypto).flatMap((id) => {
    const until = pinnedUntil({ id, key: keys.get(id), when }, pin, crypto);
    return until === undefined ? [] : [[id, until] as const];
  });
  return new Map(pinned);
}

function usableAt(
  when: When,
  { signers }: Root,
  { gun }: Trust,
  crypto: Cryptography,
): readonly string[] {
  const { keys, keyIds } = signers.root;
  return keyIds.filter((id) => isUsable(keys.get(id), { gun, when }, crypto));
}

/** The one before it vouches for it, and it for itself: each by its own threshold. */
export function checkRotation(
  old: RootFile,
  next: RootFile,
  crypto: Cryptography,
): Checked<RootFile> {
  if (next.root.version !== old.root.version + 1) return distrusted('root', 'root-rotation');
  const both = [old, next].map(({ root }) =>
    checkSignatures('root', next.envelope, { signers: root.signers.root, crypto }),
  );
  return both.every(({ ok }) => ok) ? held(next) : distrusted('root', 'root-rotation');
}

export function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

function isUsable(
  key: Key | undefined,
  { gun, when }: { readonly gun: string; readonly when: When },
  crypto: Cryptography,
): boolean {
  if (key === undefined) return false;
  const leaf = leafOf(key, crypto);
  return leaf !== undefined && isNamed(leaf.commonName, gun) && isInForce(leaf, when);
}

/** One certificate that is no authority's, and it stands first: else one could choose which of them is meant. */
function leafOf(key: Key | undefined, crypto: Cryptography): CertificateFacts | undefined {
  const facts = key === undefined ? undefined : crypto.readKey(key);
  const [leaf, ...others] = facts?.certificates ?? [];
  if (facts === undefined || leaf === undefined || !isStrong(facts)) return undefined;
  return leaf.isAuthority || !others.every(({ isAuthority }) => isAuthority) ? undefined : leaf;
}

function isNamed(commonName: string, gun: string): boolean {
  return commonName.endsWith('*') ? gun.startsWith(commonName.slice(0, -1)) : commonName === gun;
}

type Named = { readonly id: string; readonly key: Key | undefined; readonly when: When };

/** A key that is named has no end but its own; an authority vouches for nobody when it has ended. */
const endless = new Date(8.64e15);

/** Of several pinned authorities the one that lasts longest; nothing where none of it is pinned. */
function pinnedUntil(
  { id, key, when }: Named,
  pin: Pin | undefined,
  crypto: Cryptography,
): Date | undefined {
  if (pin === undefined) return endless;
  const facts = key === undefined ? undefined : crypto.readKey(key);
  if (key === undefined || facts === undefined) return undefined;
  const isStated = pin.keyIds.includes(id) || pin.keyIds.includes(bareKeyId(facts, crypto));
  if (isStated) return endless;
  const ends = pin.certificates.flatMap((each) => crypto.leadsUntil(key, each, when) ?? []);
  return ends.toSorted((one, other) => other.getTime() - one.getTime())[0];
}
