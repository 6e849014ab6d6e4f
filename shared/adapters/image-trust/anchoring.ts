import type { Anchor } from '#shared/domain/image-trust/tuf/trust.ts';
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

/** As this process remembers it. */
export type OwnAnchor = KeptAnchor & {
  /** Of what all others knew when it was seen, where nobody could be told. */
  readonly after?: Pick<KeptAnchor, 'root' | 'revision'> | undefined;
};

export type KnownAnchor = {
  readonly kept: OwnAnchor | undefined;
  readonly isShared: boolean;
  /** Of this process alone: seen while nobody could be told. */
  readonly isUntold: boolean;
};

export async function knownAnchor(
  { attempt, store, anchors }: Hangar,
  { subject, isShared }: Trip,
): Promise<KnownAnchor> {
  const read = isShared ? await attempt(() => store.findAnchor(subject.collection)) : undefined;
  const own = anchors.find(subject.anchorKey);
  if (read === undefined) return { kept: own, isShared: false, isUntold: false };
  const { value: told } = read;
  // Else whoever serves could go back behind it as soon as the others can be told again.
  if (told !== undefined && own !== undefined && isAfter(own, told)) {
    return { kept: { ...own, revision: told.revision }, isShared: true, isUntold: true };
  }
  if (told !== undefined) anchors.keep(subject.anchorKey, told);
  return { kept: told, isShared: true, isUntold: false };
}

/** Nobody has written since: whoever has taken a root out, or has seen more, knows better. */
function isAfter({ after }: OwnAnchor, { root, revision }: KeptAnchor): boolean {
  return after?.revision === revision && after.root === root;
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
  if (anchor === undefined || isTold(anchor, grounds)) {
    return isShared ? { kind: 'kept', root: kept?.root ?? '', isChange: false } : { kind: 'alone' };
  }
  if (isDryRun) return { kind: 'unkept' };
  const next = { anchor, root: sha256(anchor.root), revision: (kept?.revision ?? 0) + 1 };
  return isShared
    ? keptByAll(hangar, next, { ...grounds, isFirstUse: proof.isFirstUse })
    : keptAlone(hangar, next, grounds);
}

function isTold(anchor: Anchor, { kept, isUntold }: KnownAnchor): boolean {
  return !isUntold && (kept && JSON.stringify(kept.anchor)) === JSON.stringify(anchor);
}

/** What was seen is not gone back behind, though nobody else can be told now. */
function keptAlone(
  { anchors }: Hangar,
  next: KeptAnchor,
  { subject, kept }: Trip & KnownAnchor,
): Standing {
  const after = kept?.after ?? (kept && { root: kept.root, revision: kept.revision });
  anchors.keep(subject.anchorKey, { ...next, after });
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
