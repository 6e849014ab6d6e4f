import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseDuration } from '#shared/domain/duration.ts';
import { canonical, type ImageName } from '#shared/domain/image.ts';
import { answering } from '#shared/domain/image-trust/cosign/authority.ts';
import type { Claimed } from '#shared/domain/image-trust/cosign/claim.ts';
import {
  type Tried,
  untrusted,
  withoutProof,
} from '#shared/domain/image-trust/cosign/conclusion.ts';
import type { Evidence } from '#shared/domain/image-trust/cosign/evidence.ts';
import type { Authority } from '#shared/domain/image-trust/cosign/settings.ts';
import type { Judgement, Trusted } from '#shared/domain/image-trust/judgement.ts';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';
import type { RepositoryPlace } from '#shared/domain/registry/keyring.ts';
import { childrenOf } from '#shared/domain/registry/manifest.ts';
import type {
  ManifestName,
  ReadFailure,
  Registry,
  RegistryAccess,
} from '#shared/domain/registry/registry.ts';
import { evidenceOf } from './evidence-read.ts';
import { openEvidence } from './opened.ts';
import { judgementOf } from './outage.ts';
import { keptRoots } from './trusted-root.ts';
import { meansOf, vouch, type Witness } from './vouch.ts';

export type Cosign = {
  /** It never throws for what a server sends. */
  verify(question: CosignQuestion): Promise<Judgement>;
};

export type CosignQuestion = {
  /** By the name of its origin: the one that has to be signed. */
  readonly image: Pick<ImageName, 'registry' | 'repository' | 'tag' | 'digest'>;
  /** From where it is pulled, if that is not its origin. Signatures are looked for at both. */
  readonly pulled?: RepositoryPlace | undefined;
  /** As whoever asks was shown it a moment ago; else it is read. */
  readonly shown?: ShownImage | undefined;
  readonly authorities: readonly Authority[];
  readonly access: Omit<RegistryAccess, 'signal'>;
  readonly signal: AbortSignal;
  readonly now: Date;
};

export type ShownImage = { readonly digest: Sha256Digest; readonly children: readonly string[] };

export type CosignOptions = {
  readonly registry: Registry;
  /** Of trusted roots, by the path that an authority states. */
  readonly readText: (path: string) => Promise<string>;
};

export function openCosign({ registry, readText }: CosignOptions): Cosign {
  const rootOf = keptRoots(readText);
  return {
    verify: async ({ image, pulled = image, shown, authorities, access, signal, now }) => {
      const answers = answering(image, authorities);
      if (answers.length === 0) return untrusted('not-signed', nobody);

      const within = { ...access, signal };
      const found = shown ?? (await showing(registry, { ...image, ...placeOf(pulled) }, within));
      if ('kind' in found) return judgementOf(found, image);
      const claimed = { image, digest: found.digest };
      const witnesses = await Promise.all(answers.map((each) => meansOf(each, rootOf)));
      const search = { claimed, witnesses, access: within };
      const tried = await firstVoucher(evidenceIn(registry, [pulled, image], search), search);
      return tried.kind === 'vouched' ? trusted({ claimed, found, now }, tried) : tried;
    },
  };
}

const nobody = 'no authority answers for this repository';

async function showing(
  registry: Registry,
  image: ManifestName,
  access: RegistryAccess,
): Promise<ShownImage | ReadFailure> {
  const read = await registry.manifest(image, access);
  if (read.kind !== 'found') return read;
  return { digest: read.digest, children: childrenOf(read.manifest) };
}

type Search = {
  readonly claimed: Claimed;
  readonly witnesses: readonly Witness[];
  readonly access: RegistryAccess;
};

type Vouched = Extract<Tried, { readonly kind: 'vouched' }>;

function placeOf({ registry, repository }: RepositoryPlace): RepositoryPlace {
  return { registry, repository };
}

/** Where it is pulled from first; a mirror has seldom what refers to an image. */
async function* evidenceIn(
  registry: Registry,
  places: readonly RepositoryPlace[],
  { claimed: { digest }, access }: Search,
): AsyncGenerator<Evidence | Tried> {
  const distinct = new Map(
    places.map((each) => [`${each.registry}/${each.repository}`, placeOf(each)]),
  );
  for (const place of distinct.values()) {
    yield* evidenceOf(registry, { ...place, digest }, access);
  }
}

/** One good signature is enough; bad ones beside it spoil nothing. */
async function firstVoucher(
  evidence: AsyncIterable<Evidence | Tried>,
  { claimed, witnesses }: Search,
) {
  const tried: Tried[] = [];
  for await (const read of evidence) {
    const opened = read.kind === 'payload' || read.kind === 'bundle' ? openEvidence(read) : read;
    const outcomes =
      opened.kind === 'opened' ? witnesses.map((each) => vouch(opened, each, claimed)) : [opened];
    const vouched = outcomes.find((each): each is Vouched => each.kind === 'vouched');
    if (vouched !== undefined) return vouched;
    tried.push(...outcomes);
    // Each costs milliseconds, and whoever may push can add many: other reviews go on in between.
    await othersTurn();
  }
  return withoutProof(tried);
}

type Proven = { readonly claimed: Claimed; readonly found: ShownImage; readonly now: Date };

function trusted({ claimed, found, now }: Proven, { authority, keys }: Vouched): Trusted {
  const { registry, repository, tag } = claimed.image;
  return {
    kind: 'trusted',
    digest: claimed.digest,
    children: found.children,
    by: {
      verifier: 'cosign',
      server: authority.name,
      name: canonical({ registry, repository, tag, digest: undefined }),
      keys,
    },
    until: new Date(now.getTime() + (parseDuration(authority.servesFor) ?? 0)),
    remarks: [],
  };
}
