import type { ImageName } from '#shared/domain/image.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import {
  isDenied,
  isSpoken,
  judgementOfRead,
} from '#shared/domain/image-trust/judging-registry.ts';
import { milliseconds } from '#shared/domain/image-trust/settings.ts';
import { tagOf } from '#shared/domain/image-trust/signed-name.ts';
import { wasSeen } from '#shared/domain/image-trust/verdict.ts';
import type { ImageFacts, KeptTag } from '#shared/domain/image-trust/verdict-store.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import { childrenOf } from '#shared/domain/registry/manifest.ts';
import type { FoundManifest, ReadFailure } from '#shared/domain/registry/registry.ts';
import { joining } from '../joining.ts';
import type { Account } from './account.ts';
import { type Attempt, attempts } from './attempt.ts';
import { newest, weightWith } from './newest.ts';
import type { JudgeParts } from './parts.ts';
import { type Shown, shownIn } from './shown.ts';
import { tellingThrows } from './telling-throws.ts';
import { turnstile } from './turnstile.ts';

/** What an image is, by its digest: as its registry says, or said a moment ago. */
export type Content = KnownContent | { readonly kind: 'failed'; readonly judgement: Judgement };

export type KnownContent = {
  readonly kind: 'content';
  readonly digest: string;
  /** Unknown where the registry has shown the image to nobody whose credentials we have. */
  readonly facts: ImageFacts | undefined;
  readonly shown: Shown | undefined;
  readonly until: Date | undefined;
};

export type ContentQuestion = {
  readonly pulled: ImageName;
  /** Whose credentials are shown. Failures of one are not another's. */
  readonly account: Account;
  readonly logins: () => Promise<readonly RegistryLogin[]>;
  readonly signal: AbortSignal;
};

export type Contents = {
  find(question: ContentQuestion): Promise<Content>;
  /** From what is known, though it be some seconds older than usual. */
  recall(pulled: ImageName, graceMs: number): Promise<KnownContent | undefined>;
  /** What it was, while its registry says nothing. */
  standIn(pulled: ImageName): Promise<KnownContent | undefined>;
  /** Somebody vouches for it: whatever it holds, all replicas are to know it. */
  keepTrusted(content: KnownContent): Promise<void>;
  /** Whether what is still asked was not read at once, since its namespace reads so much. */
  hasWaited(question: ContentQuestion): boolean;
};

type Tools = JudgeParts & { readonly attempt: Attempt };

export function openContents(parts: JudgeParts, attempt = attempts()): Contents {
  const memory = openMemory({ ...parts, attempt });
  const asking = joining<Content>();
  const [ofNamespace, ofRegistry] = [turnstile(mostRead), turnstile(mostReadOfOne)];
  const inTurn = async (question: ContentQuestion) => {
    const { account, pulled } = question;
    const whose = keyOf(question);
    const line = JSON.stringify([account.namespace, pulled.registry.toLowerCase()]);
    const read = () => tellingThrows(fetched(question, memory, parts), parts);
    const readNow = () => ofNamespace.pass({ line: account.namespace, whose }, parts.boundMs, read);
    // One who hangs keeps no place of those who read elsewhere.
    return (await ofRegistry.pass({ line, whose }, parts.boundMs, readNow)) ?? crowded;
  };
  return {
    async find(question) {
      const known = await memory.find(question.pulled, 0);
      return known ?? asking.ask(keyOf(question), () => inTurn(question));
    },
    recall: (pulled, graceMs) => memory.find(pulled, graceMs),
    standIn: memory.standIn,
    keepTrusted: memory.keepTrusted,
    hasWaited: (question) =>
      [ofNamespace, ofRegistry].some((each) => each.hasWaited(keyOf(question))),
  };
}

function keyOf({ pulled, account }: ContentQuestion): string {
  return `${pulled.original}\n${account.key}`;
}

/** Of a namespace at a time: a pod may name thousands of hosts that never answer, and each holds a connection open. */
const mostRead = 64;

/** Of these from one registry. */
const mostReadOfOne = 16;

export const crowded: Extract<Content, { kind: 'failed' }> = {
  kind: 'failed',
  judgement: {
    kind: 'unavailable',
    why: 'not-verified',
    note: 'too many images of its namespace are read at once',
  },
};

type Memory = ReturnType<typeof openMemory>;

/** In front of what all replicas know: a tag for seconds, a manifest for good. */
function openMemory(tools: Tools) {
  const { clock } = tools;
  const manifests = openManifests(tools);
  const tags = openTags(tools);
  const find = async (pulled: ImageName, graceMs: number) => {
    const place = placeOf(pulled);
    const tag = pulled.digest === undefined ? await tags.find(place, graceMs) : undefined;
    const digest = pulled.digest ?? tag?.digest;
    const facts = digest === undefined ? undefined : await manifests.find(digest);
    return facts && contentOf(facts, tag && tags.endOf(tag));
  };
  return {
    find,
    standIn: (pulled: ImageName) => find(pulled, standInMs),
    async keep(pulled: ImageName, facts: ImageFacts) {
      await manifests.keep(facts);
      if (pulled.digest !== undefined) return contentOf(facts, undefined);
      const kept = { digest: facts.digest, seenAt: clock.now() };
      await tags.keep(placeOf(pulled), kept);
      return contentOf(facts, tags.endOf(kept));
    },
    keepTrusted: async ({ facts }: KnownContent) => {
      if (facts !== undefined) await manifests.keepTrusted(facts);
    },
  };
}

function contentOf(facts: ImageFacts, until: Date | undefined): KnownContent {
  return { ...bareContent(facts.digest), facts, until };
}

/** A digest needs nobody to say what it is. */
export function bareContent(digest: string): KnownContent {
  return { kind: 'content', digest, facts: undefined, shown: undefined, until: undefined };
}

type Manifest = { readonly facts: ImageFacts; readonly isStored: boolean };

/** Of what nobody vouches for: a list of a thousand is a row of 71 KB, and whoever pushes has any number of them read. */
const mostChildren = 64;

function openManifests({ store, attempt }: Tools) {
  const known = newest<Manifest>(200_000, ({ facts }) => weightWith(facts.children));
  const reading = joining<ImageFacts | undefined>();
  const read = async (digest: string) => {
    const found = (await attempt(() => store.findFacts(digest)))?.value;
    if (found !== undefined) known.keep(digest, { facts: found, isStored: true });
    return found;
  };
  const storing = joining<void>();
  const keepNow = async (facts: ImageFacts) => {
    const kept = await attempt(() => store.keepFacts(facts));
    known.keep(facts.digest, { facts, isStored: kept !== undefined });
  };
  const keepForAll = (facts: ImageFacts) => storing.ask(facts.digest, () => keepNow(facts));
  return {
    find: async (digest: string): Promise<ImageFacts | undefined> =>
      known.find(digest)?.facts ?? reading.ask(digest, () => read(digest), isKnown),
    async keep(facts: ImageFacts): Promise<void> {
      known.keep(facts.digest, { facts, isStored: false });
      if (facts.children.length <= mostChildren) await keepForAll(facts);
    },
    async keepTrusted(facts: ImageFacts): Promise<void> {
      if (known.find(facts.digest)?.isStored !== true) await keepForAll(facts);
    },
  };
}

function isKnown(facts: ImageFacts | undefined): boolean {
  return facts !== undefined;
}

function openTags({ store, attempt, clock, askable }: Tools) {
  const known = newest<KeptTag>(10_000);
  const reading = joining<KeptTag | undefined>();
  const read = async (place: TagPlace) => {
    const found = (await attempt(() => store.findTag(place)))?.value;
    if (found !== undefined) known.keep(nameOf(place), found);
    return found;
  };
  const endOf = ({ seenAt }: KeptTag) =>
    new Date(seenAt.getTime() + milliseconds(askable().settings.lifetimes.tags));
  const isYoung = (tag: KeptTag | undefined, graceMs: number): tag is KeptTag =>
    tag !== undefined &&
    wasSeen(tag.seenAt, clock.now()) &&
    clock.now().getTime() < endOf(tag).getTime() + graceMs;
  return {
    endOf,
    async find(place: TagPlace, graceMs: number): Promise<KeptTag | undefined> {
      const held = known.find(nameOf(place));
      if (isYoung(held, graceMs)) return held;
      const isEnough = (tag: KeptTag | undefined) => isYoung(tag, graceMs);
      const found = await reading.ask(nameOf(place), () => read(place), isEnough);
      return isYoung(found, graceMs) ? found : undefined;
    },
    async keep(place: TagPlace, kept: KeptTag): Promise<void> {
      known.keep(nameOf(place), kept);
      await attempt(() => store.keepTag(place, kept));
    },
  };
}

type TagPlace = {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
};

function placeOf(pulled: ImageName): TagPlace {
  const { registry, repository } = pulled;
  return { registry: registry.toLowerCase(), repository, tag: tagOf(pulled) ?? '' };
}

function nameOf({ registry, repository, tag }: TagPlace): string {
  return `${registry}/${repository}:${tag}`;
}

/** How long what a tag was still stands in while its registry is away; what it was has to be signed as that tag all the same. */
const standInMs = 24 * 3_600_000;

async function fetched(
  { pulled, logins, signal }: ContentQuestion,
  memory: Memory,
  { askable }: JudgeParts,
): Promise<Content> {
  const { registry, repository, digest } = pulled;
  const tag = tagOf(pulled);
  const access = { logins: await logins(), reach: 'internal', signal } as const;
  const name =
    digest === undefined ? { registry, repository, tag } : { registry, repository, digest };
  const read = await askable().registry.manifest(name, access);
  if (read.kind === 'found') {
    return { ...(await memory.keep(pulled, factsFrom(read))), shown: shownIn(read) };
  }

  const isUnseen = read.kind === 'unavailable' || isDenied(read);
  const older = isUnseen ? await memory.standIn(pulled) : undefined;
  return older ?? withoutManifest(pulled, read);
}

function withoutManifest({ digest, original }: ImageName, failure: ReadFailure): Content {
  // Others may be shown it, and a digest that is signed is signed all the same.
  const isOthers =
    isSpoken(failure) || (failure.kind === 'unavailable' && failure.why === 'login-unread');
  if (digest !== undefined && isOthers) return bareContent(digest);
  return { kind: 'failed', judgement: judgementOfRead(failure, original) };
}

function factsFrom({ digest, manifest }: FoundManifest): ImageFacts {
  const config = manifest.kind === 'image' ? manifest.config.digest : undefined;
  return { digest, children: childrenOf(manifest), config };
}
