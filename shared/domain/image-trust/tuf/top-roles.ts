import { type Asking, askFor, fetched, fetchedAs } from './asking.ts';
import { toHex } from './bytes.ts';
import type { TargetsFile } from './delegations.ts';
import type { Envelope } from './envelope.ts';
import { checkFile } from './file-proof.ts';
import { type Checked, distrusted, held } from './finding.ts';
import type { Cryptography } from './key.ts';
import { type Listing, readListing, readTargets } from './metadata.ts';
import { delegationsAmong } from './names.ts';
import { checkRole, type Measure, type Proven } from './role-check.ts';
import type { RootFile } from './root-check.ts';
import type { Basis } from './root-search.ts';
import type { SeenRoles, Trust } from './trust.ts';

/** The root that the others are held to, and what was seen before. */
export type Under = {
  readonly file: RootFile;
  readonly basis: Basis;
  readonly seen: SeenRoles;
};

export type Snapshot = { readonly listing: Proven<Listing>; readonly sha256: string };

type Context = { readonly under: Under; readonly trust: Trust; readonly crypto: Cryptography };

export function* readTimestamp(context: Context): Asking<Checked<Proven<Listing>>> {
  const maxBytes = context.trust.limits.timestampBytes;
  const envelope = yield* fetched(
    { role: 'timestamp', at: { kind: 'latest' }, maxBytes },
    'no-trust-data',
  );
  if (!envelope.ok) return envelope;
  const read = {
    envelope: envelope.value,
    read: (from: Envelope) => readListing('timestamp', from),
  };
  return checkRole('timestamp', read, measureOf('timestamp', context));
}

export function* readSnapshot({ meta }: Listing, context: Context): Asking<Checked<Snapshot>> {
  const { trust, crypto, under } = context;
  const stated = meta.get('snapshot');
  const maxBytes = trust.limits.snapshotBytes;
  const envelope = yield* fetchedAs('snapshot', { stated, maxBytes, crypto });
  if (!envelope.ok) return envelope;
  const read = {
    envelope: envelope.value,
    read: (from: Envelope) => readListing('snapshot', from),
  };
  const listing = checkRole('snapshot', read, measureOf('snapshot', context));
  if (!listing.ok) return listing;
  if (!namesRoot(listing.value.content, under.file, crypto)) {
    return distrusted('root', 'root-mismatch');
  }
  const sha256 = toHex(crypto.hash('sha256', envelope.value.bytes));
  return held({ listing: listing.value, sha256 });
}

export function* readTopTargets({ meta }: Listing, context: Context): Asking<Checked<TargetsFile>> {
  const { trust, crypto } = context;
  const stated = meta.get('targets');
  const maxBytes = trust.limits.targetsBytes;
  // The snapshot names them already, and whether they are delegated at all only the targets say.
  const ahead = delegationsAmong(trust.roles).flatMap((role) => {
    const own = meta.get(role);
    return (own && askFor(role, own, maxBytes)) ?? [];
  });
  const envelope = yield* fetchedAs('targets', { stated, maxBytes, crypto, ahead });
  if (!envelope.ok) return envelope;
  const read = { envelope: envelope.value, read: (from: Envelope) => readTargets('targets', from) };
  return checkRole('targets', read, measureOf('targets', context));
}

function measureOf(
  role: 'timestamp' | 'snapshot' | 'targets',
  { under, trust, crypto }: Context,
): Measure {
  return { signers: under.file.root.signers[role], crypto, now: trust.now, seen: under.seen };
}

/** Else an old root, whose lost keys were rotated away, could go with new files. */
function namesRoot({ meta }: Listing, { envelope }: RootFile, crypto: Cryptography): boolean {
  const stated = meta.get('root');
  return stated !== undefined && checkFile('root', envelope.bytes, { stated, crypto }).ok;
}
