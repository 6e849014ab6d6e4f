import { fallbackTag } from '#shared/domain/registry/digest.ts';
import {
  type Descriptor,
  decodeManifest,
  maxManifestBytes,
} from '#shared/domain/registry/manifest.ts';
import { bareMediaType, ociIndex } from '#shared/domain/registry/media-type.ts';
import { type NextPage, nextPage } from '#shared/domain/registry/next-page.ts';
import { meaningOf } from '#shared/domain/registry/refusal.ts';
import {
  type FoundReferrers,
  type Read,
  type ReadFailure,
  type ReferrersQuery,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { ask, urlOf } from './ask.ts';
import { type Call, manifestAt } from './manifest-at.ts';
import { type Answered, failureFrom, isFailure } from './outcome.ts';
import type { Tools } from './tools.ts';
import { tryAll } from './try-all.ts';

/** Somebody who may push can add any number: what is beyond is not read, and whoever needs it is told. */
const mostPages = 10;

export async function readReferrers(
  tools: Tools,
  query: ReferrersQuery,
  access: RegistryAccess,
): Promise<Read<FoundReferrers>> {
  const search = { ...query, ...access, subject: query.digest, isEnough: isSome };
  return tryAll<FoundReferrers>(tools, search, async (endpoint, account) => {
    const call = { endpoint, account, query, access };
    const found = await referrersAt(tools, call);
    if (isFailure(found)) return found;
    return { ...found, descriptors: found.descriptors.filter((each) => isOf(query, each)) };
  });
}

/** A mirror with the API knows seldom what lies in its registry: there nothing is no answer. */
function isSome({ descriptors }: FoundReferrers): boolean {
  return descriptors.length > 0;
}

/** A server may filter or not; that it did is only its word. */
function isOf({ artifactType }: ReferrersQuery, descriptor: Descriptor): boolean {
  return artifactType === undefined || descriptor.artifactType === artifactType;
}

type Asking = Call & { readonly query: ReferrersQuery };

async function referrersAt(tools: Tools, call: Asking): Promise<Read<FoundReferrers>> {
  const read = await pagesFrom(tools, call);
  if (read.kind === 'not-found') return byTag(tools, call);
  if (!isFailure(read) || meaningOf(read) !== 'denied') return read;
  // What guards some registries knows no such way, and lets nobody in there; that nothing is said elsewhere is no answer.
  const tagged = await byTag(tools, call);
  if (tagged.kind === 'unavailable') return tagged;
  return tagged.kind === 'found' && isSome(tagged) ? tagged : read;
}

async function pagesFrom(tools: Tools, call: Asking): Promise<Read<FoundReferrers>> {
  const descriptors: Descriptor[] = [];
  const { digest, artifactType } = call.query;
  const filter =
    artifactType === undefined ? '' : `?artifactType=${encodeURIComponent(artifactType)}`;
  let path: string | undefined = `/referrers/${digest}${filter}`;
  for (let page = 0; path !== undefined; page++) {
    if (page === mostPages) return readRefused('too-large', `more than ${mostPages} pages`);
    const read = await pageAt(tools, call, path);
    if (isFailure(read)) return read;
    descriptors.push(...read.descriptors);
    if (read.next.kind === 'elsewhere')
      return readRefused('redirect', 'its next page is elsewhere');
    path = read.next.kind === 'page' ? read.next.path : undefined;
  }
  return { kind: 'found', descriptors, by: 'api' };
}

type Page = {
  readonly kind: 'page';
  readonly descriptors: readonly Descriptor[];
  readonly next: NextPage;
};

async function pageAt(
  tools: Tools,
  { endpoint, account, access }: Call,
  path: string,
): Promise<Page | ReadFailure> {
  const { reach, signal } = access;
  const shared = { accept: ociIndex, maxBytes: maxManifestBytes, reach, signal };
  const answered = await ask(tools, { ...shared, endpoint, account, path });
  if (answered.kind !== 'answer') return answered;
  if (isWithoutApi(answered)) return { kind: 'not-found', about: 'it has no referrers API' };
  if (answered.status !== 200) return failureFrom(answered, tools.now());
  const read = decodeManifest(answered.body, answered.headers['content-type']);
  if (!read.ok) return readRefused(read.why, `${endpoint.host}: ${read.about}`);
  const descriptors = read.manifest.kind === 'index' ? read.manifest.children : [];
  const base = urlOf(tools, { endpoint, path: '' });
  return { kind: 'page', descriptors, next: nextPage(answered, base) };
}

/** Older registries say so in many ways; a page for people is one of them. */
function isWithoutApi({ status, headers }: Answered): boolean {
  if ([400, 404, 405, 406, 501].includes(status)) return true;
  return status === 200 && bareMediaType(headers['content-type']) !== ociIndex;
}

/** Nothing under the tag either: nothing refers to it. */
async function byTag(tools: Tools, call: Asking): Promise<Read<FoundReferrers>> {
  const read = await manifestAt(tools, call, fallbackTag(call.query.digest));
  if (read.kind === 'not-found') return { kind: 'found', descriptors: [], by: 'tag' };
  if (isFailure(read)) return read;
  const { manifest } = read;
  return manifest.kind === 'index'
    ? { kind: 'found', descriptors: manifest.children, by: 'tag' }
    : readRefused('malformed', 'what stands under the tag for referrers is no index');
}
