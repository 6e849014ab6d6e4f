import type { Asking } from './asking.ts';
import { type LoadedRole, type LoadedRoles, loadRoles, type Skipped } from './delegations.ts';
import { type Checked, type Flaw, held } from './finding.ts';
import type { Cryptography } from './key.ts';
import type { Listing } from './metadata.ts';
import { type Proven, seenNow } from './role-check.ts';
import { checkRoot, earliest, type RootProof } from './root-check.ts';
import { type Basis, newerRoot, startingRoot } from './root-search.ts';
import {
  readSnapshot,
  readTimestamp,
  readTopTargets,
  type Snapshot,
  type Under,
} from './top-roles.ts';
import type { Anchor, Trust } from './trust.ts';

/** A collection all of whose metadata has been proven. */
export type Repository = {
  /** Those that may name a target, in their order. */
  readonly roles: readonly LoadedRole[];
  /** Delegations that would have been asked, if they were in order. */
  readonly skipped: readonly Skipped[];
  /** In hex: as long as it is the same, nothing has changed. */
  readonly snapshot: string;
  readonly root: {
    readonly version: number;
    readonly keyIds: readonly string[];
    readonly basis: Basis;
  };
  /** To be kept, if the root may be: it is never weaker than the one that was given. */
  readonly anchor: Anchor;
};

/**
 * The workflow of TUF as Notary has it: a root is looked for anew only when the metadata does not hold under the one
 * that is known, for a root that was rotated announces itself by nothing else.
 */
export function* readRepository(trust: Trust, crypto: Cryptography): Asking<Checked<Repository>> {
  const start = yield* startingRoot(trust, crypto);
  if (!start.ok) return start;
  const { file, basis } = start.value;
  const seen = basis === 'anchor' ? (trust.anchor?.seen ?? {}) : {};
  const first = yield* readUnder({ file, basis, seen }, trust, crypto);
  if (first.ok || !mayBeRotated(first.flaw)) return first;

  const newer = yield* newerRoot(file, trust, crypto);
  // Who withholds the new root has not made the old one any better.
  if (!newer.ok) return newer.flaw.kind === 'unavailable' ? first : newer;
  if (newer.value === undefined) return first;
  return yield* readUnder({ file: newer.value, basis, seen }, trust, crypto);
}

function mayBeRotated({ why }: Flaw): boolean {
  const curable = ['bad-signature', 'bad-certificate', 'expired', 'rollback', 'root-mismatch'];
  return curable.includes(why);
}

function* readUnder(under: Under, trust: Trust, crypto: Cryptography): Asking<Checked<Repository>> {
  const context = { under, trust, crypto };
  const root = checkRoot(under.file, trust, crypto);
  if (!root.ok) return root;
  const timestamp = yield* readTimestamp(context);
  if (!timestamp.ok) return timestamp;
  const snapshot = yield* readSnapshot(timestamp.value.content, context);
  if (!snapshot.ok) return snapshot;
  const { content } = snapshot.value.listing;
  const targets = yield* readTopTargets(content, context);
  if (!targets.ok) return targets;

  const until = earliest([root.value.until, timestamp.value.content.expires, content.expires]);
  const { seen } = under;
  const loaded = yield* loadRoles(targets.value, {
    trust,
    crypto,
    meta: content.meta,
    until,
    // Servers renew timestamps by themselves, every day of their few.
    renewBy: earliest([root.value.until, content.expires]),
    seen,
  });
  if (!loaded.ok) return loaded;
  const proofs = { root: root.value, timestamp: timestamp.value, snapshot: snapshot.value };
  return held(assembled(under, proofs, loaded.value));
}

type Proofs = {
  readonly root: RootProof;
  readonly timestamp: Proven<Listing>;
  readonly snapshot: Snapshot;
};

function assembled(
  { file, basis }: Under,
  { root, timestamp, snapshot }: Proofs,
  { roles, skipped, seen }: LoadedRoles,
): Repository {
  const listings = { timestamp: seenNow(timestamp), snapshot: seenNow(snapshot.listing) };
  return {
    roles,
    skipped,
    snapshot: snapshot.sha256,
    root: { version: file.root.version, keyIds: root.keyIds, basis },
    anchor: { root: file.envelope.text, seen: { ...seen, ...listings } },
  };
}
