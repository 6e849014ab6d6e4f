import { isSha256Digest, type Sha256Digest } from '#shared/domain/registry/digest.ts';
import type { Endpoint } from '#shared/domain/registry/endpoint.ts';
import { decodeManifest, maxManifestBytes } from '#shared/domain/registry/manifest.ts';
import { bareMediaType, formOf, manifestTypes } from '#shared/domain/registry/media-type.ts';
import {
  type FoundManifest,
  type Read,
  type ReadUnavailable,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import type { Account } from './account.ts';
import { ask, visitKey } from './ask.ts';
import { digestOf } from './hashed.ts';
import { type Answered, failureFrom } from './outcome.ts';
import type { Tools } from './tools.ts';

/** One place, asked as one account. */
export type Call = {
  readonly endpoint: Endpoint;
  readonly account: Account;
  readonly access: Pick<RegistryAccess, 'reach' | 'signal'>;
};

/** By a tag or a digest. One read, hashed and decoded from the same bytes: a tag that moves in between cannot mix two images. */
export async function manifestAt(
  tools: Tools,
  call: Call,
  name: string,
): Promise<Read<FoundManifest>> {
  const { endpoint, account, access } = call;
  const answered = await ask(tools, {
    ...{ endpoint, account, reach: access.reach, signal: access.signal },
    path: `/manifests/${encodeURIComponent(name).replace('%3A', ':')}`,
    accept: manifestTypes,
    maxBytes: maxManifestBytes,
  });
  if (answered.kind !== 'answer') return answered;
  if (answered.status !== 200) return failureFrom(answered, tools.now());
  const read = manifestFrom(answered, name);
  if (read.kind === 'found') {
    tools.looks.keep(lookKey(tools, call, read.digest), { kind: 'shown' }, keptForSeconds);
  }
  return read;
}

function manifestFrom({ body, headers, url }: Answered, name: string): Read<FoundManifest> {
  const digest = digestOf(body);
  const { host } = new URL(url);
  if (isSha256Digest(name) && name !== digest) {
    // A page for people is no other manifest: whoever is shown one may have to log in.
    const isPage = formOf(bareMediaType(headers['content-type'])) === undefined;
    const why = isPage ? 'media-type' : 'digest';
    return readRefused(why, `${host} sends other content than was asked for`);
  }
  const read = decodeManifest(body, headers['content-type']);
  return read.ok
    ? { kind: 'found', digest, bytes: body, manifest: read.manifest }
    : readRefused(read.why, `${host}: ${read.about}`);
}

/** What a look at the image itself says: whether this very place shows it to this very account. */
export type Look = Seen | ReadUnavailable;
export type Seen = { readonly kind: 'shown' } | { readonly kind: 'hidden' };

/** One verification asks about the same image many times; whoever is let in or shut out is so soon after. */
const keptForSeconds = 5;

export async function lookAt(tools: Tools, call: Call, digest: Sha256Digest): Promise<Look> {
  const key = lookKey(tools, call, digest);
  const known = tools.looks.find(key);
  return known ?? tools.looking.ask(key, () => look(tools, call, digest), isInTime);
}

async function look(tools: Tools, call: Call, digest: Sha256Digest): Promise<Look> {
  const read = await manifestAt(tools, call, digest);
  // Who is away now may show it a moment later.
  if (read.kind === 'unavailable') return read;
  const seen: Seen = { kind: read.kind === 'found' ? 'shown' : 'hidden' };
  tools.looks.keep(lookKey(tools, call, digest), seen, keptForSeconds);
  return seen;
}

/** The time of the first one may be over before that of the others is. */
function isInTime(told: Look): boolean {
  return told.kind !== 'unavailable' || !['too-slow', 'given-up'].includes(told.why);
}

function lookKey(tools: Tools, { endpoint, account, access }: Call, digest: Sha256Digest) {
  return `${visitKey(tools, { endpoint, account, reach: access.reach })} ${digest}`;
}
