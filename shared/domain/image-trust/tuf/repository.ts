import { type Asking, fetched, fetchedAs } from './asking.ts';
import { toHex } from './bytes.ts';
import { type LoadedRole, loadRoles, type Skipped, type TargetsFile } from './delegations.ts';
import { checkFile } from './file-proof.ts';
import { type Checked, distrusted, type Flaw, held } from './finding.ts';
import type { Cryptography } from './key.ts';
import { type Listing, readListing, readTargets } from './metadata.ts';
import { checkRole, type Proven, seenNow } from './role-check.ts';
import { checkRoot, earliest, type RootFile } from './root-check.ts';
import { type Basis, newerRoot, startingRoot } from './root-search.ts';
import type { Anchor, SeenRoles, Trust } from './trust.ts';

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

type Under = {
  readonly file: RootFile;
  readonly basis: Basis;
  readonly seen: SeenRoles;
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
  const root = checkRoot(under.file, trust, crypto);
  if (!root.ok) return root;
  const timestamp = yield* readTimestamp(under, trust, crypto);
  if (!timestamp.ok) return timestamp;
  const snapshot = yield* readSnapshot(timestamp.value.content, { under, trust, crypto });
  if (!snapshot.ok) return snapshot;
  const targets = yield* readTopTargets(snapshot.value.listing, { under, trust, crypto });
  if (!targets.ok) return targets;

  const listings = [timestamp.value.content, snapshot.value.listing.content];
  const until = earliest([root.value.until, ...listings.map(({ expires }) => expires)]);
  const { meta } = snapshot.value.listing.content;
  const loaded = yield* loadRoles(targets.value, {
    trust,
    crypto,
    meta,
    until,
    seen: under.seen,
  });
  if (!loaded.ok) return loaded;
  const { roles, skipped, seen } = loaded.value;
  return held({
    roles,
    skipped,
    snapshot: snapshot.value.sha256,
    root: { version: under.file.root.version, keyIds: root.value.keyIds, basis: under.basis },
    anchor: {
      root: under.file.envelope.text,
      seen: {
        ...seen,
        timestamp: seenNow(timestamp.value),
        snapshot: seenNow(snapshot.value.listing),
      },
    },
  });
}

type Context = { readonly under: Under; readonly trust: Trust; readonly crypto: Cryptography };

function* readTimestamp(
  { file, seen }: Under,
  { limits, now }: Trust,
  crypto: Cryptography,
): Asking<Checked<Proven<Listing>>> {
  const envelope = yield* fetched(
    { role: 'timestamp', at: { kind: 'latest' }, maxBytes: limits.timestampBytes },
    'no-trust-data',
  );
  if (!envelope.ok) return envelope;
  return checkRole(
    'timestamp',
    { envelope: envelope.value, read: (from) => readListing('timestamp', from) },
    { signers: file.root.signers.timestamp, crypto, now, seen },
  );
}

type Snapshot = { readonly listing: Proven<Listing>; readonly sha256: string };

function* readSnapshot(
  { meta }: Listing,
  { under, trust, crypto }: Context,
): Asking<Checked<Snapshot>> {
  const stated = meta.get('snapshot');
  const maxBytes = trust.limits.snapshotBytes;
  const envelope = yield* fetchedAs('snapshot', { stated, maxBytes, crypto });
  if (!envelope.ok) return envelope;
  const listing = checkRole(
    'snapshot',
    { envelope: envelope.value, read: (from) => readListing('snapshot', from) },
    {
      signers: under.file.root.signers.snapshot,
      crypto,
      now: trust.now,
      seen: under.seen,
    },
  );
  if (!listing.ok) return listing;
  // Else an old root, whose lost keys were rotated away, could go with new files.
  const named = listing.value.content.meta.get('root');
  const isSame =
    named !== undefined &&
    checkFile('root', under.file.envelope.bytes, { stated: named, crypto }).ok;
  if (!isSame) return distrusted('root', 'root-mismatch');
  return held({
    listing: listing.value,
    sha256: toHex(crypto.hash('sha256', envelope.value.bytes)),
  });
}

function* readTopTargets(
  { content }: Proven<Listing>,
  { under, trust, crypto }: Context,
): Asking<Checked<TargetsFile>> {
  const stated = content.meta.get('targets');
  const maxBytes = trust.limits.targetsBytes;
  const envelope = yield* fetchedAs('targets', { stated, maxBytes, crypto });
  if (!envelope.ok) return envelope;
  return checkRole(
    'targets',
    { envelope: envelope.value, read: (from) => readTargets('targets', from) },
    {
      signers: under.file.root.signers.targets,
      crypto,
      now: trust.now,
      seen: under.seen,
    },
  );
}
