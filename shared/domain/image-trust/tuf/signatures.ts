import { fromBase64 } from './bytes.ts';
import type { Envelope, Signature } from './envelope.ts';
import { type Checked, distrusted, held } from './finding.ts';
import { type Cryptography, isStrong, type Key, keyId, type SignatureMethod } from './key.ts';

/** Who may sign a role, and how many of them have to. */
export type Signers = {
  readonly keys: ReadonlyMap<string, Key>;
  readonly keyIds: readonly string[];
  readonly threshold: number;
};

const methods: readonly SignatureMethod[] = ['ecdsa', 'rsapss', 'rsapkcs1v15', 'eddsa'];

/** The ids of the keys that vouch for it. */
export function checkSignatures(
  role: string,
  envelope: Envelope,
  { signers, crypto }: { readonly signers: Signers; readonly crypto: Cryptography },
): Checked<readonly string[]> {
  const valid = validSigners(envelope, signers, crypto);
  return valid.length >= signers.threshold ? held(valid) : distrusted(role, 'bad-signature');
}

/**
 * One for each public key: neither a signature that is repeated nor a key that is listed twice, as itself and in a
 * certificate, counts twice towards a threshold.
 */
function validSigners(
  envelope: Envelope,
  { keys, keyIds }: Signers,
  crypto: Cryptography,
): readonly string[] {
  const byPublicKey = new Map<string, string>();
  for (const id of new Set(keyIds)) {
    const key = keys.get(id);
    // A key under another's name would let one file say who signs the next.
    if (key === undefined || keyId(key, crypto) !== id) continue;
    const facts = crypto.readKey(key);
    if (facts === undefined || !isStrong(facts) || byPublicKey.has(facts.publicKey)) continue;
    const own = envelope.signatures.filter(({ keyid }) => keyid === id);
    if (own.some((signature) => holds(signature, { key, envelope, crypto }))) {
      byPublicKey.set(facts.publicKey, id);
    }
  }
  return [...byPublicKey.values()];
}

type Question = {
  readonly key: Key;
  readonly envelope: Envelope;
  readonly crypto: Cryptography;
};

function holds({ method, sig }: Signature, { key, envelope, crypto }: Question): boolean {
  const known = methods.find((each) => each === method.toLowerCase());
  const bytes = fromBase64(sig);
  if (known === undefined || bytes === undefined) return false;
  return crypto.verify(key, envelope.message, { method: known, bytes });
}
