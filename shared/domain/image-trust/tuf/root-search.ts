import { type Asking, fetched } from './asking.ts';
import { fromUtf8 } from './bytes.ts';
import { openEnvelope } from './envelope.ts';
import { type Checked, distrusted, type Failed, held, unavailable } from './finding.ts';
import type { Cryptography } from './key.ts';
import { readRoot } from './metadata.ts';
import { checkRoot, checkRotation, type RootFile } from './root-check.ts';
import { type Anchor, pinFor, type Trust } from './trust.ts';

/** Why a root may be used. */
export type Basis = 'anchor' | 'pin' | 'first-use';

export type Start = { readonly file: RootFile; readonly basis: Basis };

/** What was seen before, else what is pinned, else, where that is allowed, whatever is there. */
export function* startingRoot(trust: Trust, crypto: Cryptography): Asking<Checked<Start>> {
  const kept = trust.anchor && openKept(trust.anchor, trust);
  if (kept?.ok === true && !isRefusedByPin(kept.value, trust, crypto)) {
    return held({ file: kept.value, basis: 'anchor' });
  }
  const isPinned = pinFor(trust) !== undefined;
  // What was kept and cannot be read is no reason to trust whoever comes along.
  const doubt = isPinned ? undefined : kept?.ok === false ? kept : doubtOfFirstUse(trust);
  if (doubt !== undefined) return doubt;

  const latest = yield* rootAt({ kind: 'latest' }, trust);
  if (!latest.ok) return latest;
  if (!isPinned) return held({ file: latest.value, basis: 'first-use' });
  const before = kept?.ok === true ? kept.value : undefined;
  return yield* pinnedRoot(latest.value, before, trust, crypto);
}

/**
 * A pin that was taken out after its key was rotated refuses the root that was kept, and what was seen is of the same
 * owner all the same: the kept root has signed its successor. One that has not was nobody's, and binds nobody.
 */
function* pinnedRoot(
  file: RootFile,
  before: RootFile | undefined,
  trust: Trust,
  crypto: Cryptography,
): Asking<Checked<Start>> {
  if (before === undefined || !isAhead(before, file, trust)) return held({ file, basis: 'pin' });
  const followed = yield* walked({ from: before, to: file }, trust, crypto);
  if (!followed.ok && followed.flaw.kind === 'unavailable') return followed;
  return held({ file, basis: followed.ok ? 'anchor' : 'pin' });
}

function isAhead(known: RootFile, latest: RootFile, { limits }: Trust): boolean {
  const distance = latest.root.version - known.root.version;
  return distance > 0 && distance <= limits.rotations;
}

function doubtOfFirstUse({ firstUse }: Trust): Failed | undefined {
  if (firstUse === 'allow') return undefined;
  return firstUse === 'refuse'
    ? distrusted('root', 'root-unknown')
    : unavailable('root', 'root-not-kept');
}

/** A pin outranks what was trusted before it was set; that a certificate has ended undoes nothing of what was seen under it. */
function isRefusedByPin(file: RootFile, trust: Trust, crypto: Cryptography): boolean {
  const proof = checkRoot(file, trust, crypto);
  return !proof.ok && proof.flaw.why === 'root-not-pinned';
}

function openKept({ root }: Anchor, { limits }: Trust): Checked<RootFile> {
  const envelope = openEnvelope('root', fromUtf8(root), limits.rootBytes);
  if (!envelope.ok) return envelope;
  const read = readRoot(envelope.value);
  return read.ok ? held({ envelope: envelope.value, root: read.value }) : read;
}

/** The newest root, by way of each one between; nothing where it is the one that is known. */
export function* newerRoot(
  known: RootFile,
  trust: Trust,
  crypto: Cryptography,
): Asking<Checked<RootFile | undefined>> {
  const latest = yield* rootAt({ kind: 'latest' }, trust);
  if (!latest.ok) return latest;
  if (latest.value.envelope.text === known.envelope.text) return held(undefined);

  if (latest.value.root.version < known.root.version) return distrusted('root', 'rollback');
  // Made anew under an old name, or more of them than anybody would have made.
  if (!isAhead(known, latest.value, trust)) return distrusted('root', 'root-rotation');
  return yield* walked({ from: known, to: latest.value }, trust, crypto);
}

type Walk = { readonly from: RootFile; readonly to: RootFile };

function* walked(
  { from, to }: Walk,
  trust: Trust,
  crypto: Cryptography,
): Asking<Checked<RootFile>> {
  const version = from.root.version + 1;
  if (version === to.root.version) return checkRotation(from, to, crypto);

  const next = yield* rootAt({ kind: 'version', version }, trust);
  if (!next.ok) return next;
  const step = checkRotation(from, next.value, crypto);
  return step.ok ? yield* walked({ from: step.value, to }, trust, crypto) : step;
}

function* rootAt(
  at: { readonly kind: 'latest' } | { readonly kind: 'version'; readonly version: number },
  { limits }: Trust,
): Asking<Checked<RootFile>> {
  const whenAbsent = at.kind === 'latest' ? 'no-trust-data' : 'missing-file';
  const envelope = yield* fetched({ role: 'root', at, maxBytes: limits.rootBytes }, whenAbsent);
  if (!envelope.ok) return envelope;
  const read = readRoot(envelope.value);
  return read.ok ? held({ envelope: envelope.value, root: read.value }) : read;
}
