import type { RepositoryPlace } from '../registry/keyring.ts';
import type { Anchor } from './tuf/trust.ts';
import type { Verdict } from './verdict.ts';
import type { VerifierKind } from './verifiers.ts';

/** All that one verifier knows of one repository, under one idea of trust. What is kept, is kept by it. */
export type Collection = {
  /** Of all the rest: verifier, server, name, owner, and what is trusted. */
  readonly key: string;
  readonly verifier: VerifierKind;
  readonly server: string;
  readonly name: string;
  /** The namespace whose own Notary it is; empty for the platform's. */
  readonly owner: string;
};

export type KeptAnchor = {
  readonly anchor: Anchor;
  /** Of its root file. */
  readonly root: string;
  readonly revision: number;
};

/** `full`: its namespace has as many as it may have; who was faster has `overtaken` us. */
export type AnchorKept = 'kept' | 'overtaken' | 'full';

/** Of each repository that it has signed by Notaries of its own; each may be 64 KiB. */
export const mostRootsOfNamespace = 1_000;

/** What a registry said a tag is, a moment ago. */
export type KeptTag = { readonly digest: string; readonly seenAt: Date };

/** Of a manifest: it is what its digest says, so it never changes and whose it is does not matter. */
export type ImageFacts = {
  readonly digest: string;
  readonly children: readonly string[];
  /** What it calls its configuration; nobody has looked at it. */
  readonly config: string | undefined;
};

export type Asked = Pick<Verdict, 'tag' | 'digest'>;

/** In the place of a digest that nobody can tell: asked is whether anything is signed under the name. It equals none that is. */
export const anyDigest = '*';

/** What was known of an image before somebody began to ask about it; nothing, where it has no time. */
export type Before = Asked & { readonly validUntil: Date | undefined };

export type Proof = {
  /** Of the anchor under which it was proven. */
  readonly root: string;
  readonly isChange: boolean;
  /** Of images that were looked at before: what was taken back since stays so, whatever a proof found that began earlier. */
  readonly before: readonly Before[];
};

/**
 * Thrown of a question that cannot be kept or looked up as it is, and of no outage: whoever chose its texts must not keep all
 * others from what they know together.
 */
export function refusedQuestion(cause?: unknown): Error {
  const error = new Error('what was asked cannot be kept', { cause });
  return Object.assign(error, { name: 'RefusedQuestion' });
}

export function isRefusedQuestion(error: unknown): boolean {
  return error instanceof Error && error.name === 'RefusedQuestion';
}

/** What all replicas know together. It throws when it cannot be reached, and refuses a question that it cannot take. */
export type VerdictStore = {
  /** Proven under the root that is kept now. */
  find(collection: Collection, asked: readonly Asked[]): Promise<readonly Verdict[]>;
  /** All that are still worth proving again, at most so many. */
  list(collection: Collection, most: number): Promise<readonly Verdict[]>;
  /** Who keeps others in memory is told where one has changed. Gives back of which images something else stands on. */
  keep(
    collection: Collection,
    verdicts: readonly Verdict[],
    proof: Proof,
  ): Promise<readonly Asked[]>;
  findAnchor(collection: Collection): Promise<KeptAnchor | undefined>;
  /** Only where the revision is still the one that was read; none for the first. */
  keepAnchor(
    collection: Collection,
    kept: Omit<KeptAnchor, 'revision'>,
    revision: number | undefined,
  ): Promise<AnchorKept>;
  /** Whether it is the holder's now; a lease that ran out is anybody's. Also renews. */
  claim(collection: Collection, holder: string, leaseMs: number): Promise<boolean>;
  /** Who waits for it is told. */
  release(collection: Collection, holder: string): Promise<void>;
  /** Of a collection whose claim was given back; of nothing named where any may have been. */
  onRelease(heard: (collection: string | undefined) => void): void;
  findTag(place: RepositoryPlace & { readonly tag: string }): Promise<KeptTag | undefined>;
  keepTag(place: RepositoryPlace & { readonly tag: string }, kept: KeptTag): Promise<void>;
  findFacts(digest: string): Promise<ImageFacts | undefined>;
  keepFacts(facts: ImageFacts): Promise<void>;
  /** Of a collection whose verdicts changed; of nothing named where any may have. */
  onChange(heard: (collection: string | undefined) => void): void;
};
