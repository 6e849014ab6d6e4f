import type { Before, KeptAnchor } from '#shared/domain/image-trust/verdict-store.ts';
import type { Hangar, Verification } from './hangar.ts';
import type { Proof } from './proof.ts';
import { sha256 } from './sha256.ts';

export type Trip = Verification & {
  /** Whether what all replicas know together can be read and written. */
  readonly isShared: boolean;
  /** What was known when it began. */
  readonly before: readonly Before[];
  readonly signal: AbortSignal;
};

export type KnownAnchor = { readonly kept: KeptAnchor | undefined; readonly isShared: boolean };

export async function knownAnchor(
  { attempt, store, anchors }: Hangar,
  { subject, isShared }: Trip,
): Promise<KnownAnchor> {
  const read = isShared ? await attempt(() => store.findAnchor(subject.collection)) : undefined;
  if (read === undefined) return { kept: anchors.find(subject.anchorKey), isShared: false };
  if (read.value !== undefined) anchors.keep(subject.anchorKey, read.value);
  return { kept: read.value, isShared: true };
}

/** Where a proof stands: on a root that is kept, beside it, or on nothing any more. */
export type Standing =
  | { readonly kind: 'kept'; readonly root: string; readonly isChange: boolean }
  /** Told to who asked, and to nobody else. */
  | { readonly kind: 'unkept' }
  | { readonly kind: 'alone' }
  | { readonly kind: 'overtaken' }
  /** It would be a first use, and one more than its namespace may have. */
  | { readonly kind: 'full' };

export async function anchored(
  hangar: Hangar,
  proof: Proof,
  grounds: Trip & KnownAnchor,
): Promise<Standing> {
  const { kept, isDryRun, isShared } = grounds;
  const { anchor } = proof;
  if (anchor === undefined || (kept && JSON.stringify(kept.anchor)) === JSON.stringify(anchor)) {
    return isShared ? { kind: 'kept', root: kept?.root ?? '', isChange: false } : { kind: 'alone' };
  }
  if (isDryRun) return { kind: 'unkept' };
  const next = { anchor, root: sha256(anchor.root), revision: (kept?.revision ?? 0) + 1 };
  return isShared
    ? keptByAll(hangar, next, { ...grounds, isFirstUse: proof.isFirstUse })
    : keptAlone(hangar, next, grounds);
}

/** What was seen is not gone back behind, though nobody else can be told now. */
function keptAlone({ anchors }: Hangar, next: KeptAnchor, { subject }: Trip): Standing {
  anchors.keep(subject.anchorKey, next);
  return { kind: 'alone' };
}

async function keptByAll(
  hangar: Hangar,
  next: KeptAnchor,
  grounds: Trip & KnownAnchor & Pick<Proof, 'isFirstUse'>,
): Promise<Standing> {
  const { attempt, store, anchors } = hangar;
  const { kept, subject, isFirstUse } = grounds;
  const written = await attempt(() => store.keepAnchor(subject.collection, next, kept?.revision));
  const outcome = written?.value ?? 'away';
  // The database went away meanwhile, or takes no more: a root that was known or is pinned is as good as before.
  if ((outcome === 'away' || outcome === 'full') && !isFirstUse) {
    return keptAlone(hangar, next, grounds);
  }
  if (outcome === 'full') return { kind: 'full' };
  if (outcome !== 'kept') return { kind: 'overtaken' };
  anchors.keep(subject.anchorKey, next);
  return { kind: 'kept', root: next.root, isChange: kept !== undefined };
}
