import { parseBounded } from '#shared/domain/bounded-json.ts';
import { decode, maybe, record, text } from '#shared/domain/decode.ts';
import type { Outage } from '#shared/domain/image-trust/tuf/finding.ts';
import type { OutsideAnswer } from '#shared/domain/outside.ts';
import { type Challenge, parseChallenges } from '#shared/domain/registry/challenge.ts';
import { outageOf } from './outage.ts';
import type { Credentials, NotaryServer, Visit } from './session.ts';

const maxBytes = 1 << 16;
const tokenForm = record({ token: maybe(text), access_token: maybe(text) });

/** What the request is to say of us, or why there will not be any. */
export type Authorized =
  | { readonly kind: 'header'; readonly authorization: string }
  | { readonly kind: 'failed'; readonly why: Outage };

const refused: Authorized = { kind: 'failed', why: 'unauthorized' };

/** As a registry's client does: the right to pull this one collection and nothing else. */
export async function authorize(header: string, visit: Visit): Promise<Authorized> {
  const { credentials } = visit.server;
  const challenges = parseChallenges(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer !== undefined) return fetchToken(bearer, visit);
  const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
  return isBasic && credentials !== undefined
    ? { kind: 'header', authorization: basic(credentials) }
    : refused;
}

async function fetchToken(challenge: Challenge, visit: Visit): Promise<Authorized> {
  const { outside, server, signal } = visit;
  const url = tokenUrl(challenge, visit);
  if (url === undefined) return refused;
  const answer = await outside.read({
    url: url.href,
    reach: server.reach,
    maxBytes,
    signal,
    authorization: authorizationAt(url, server),
  });
  return tokenIn(answer);
}

/** Whoever answers for a Notary could name any host: it is asked as by nobody, unless it is known to be the Notary's. */
function authorizationAt(realm: URL, { url, credentials }: NotaryServer): string | undefined {
  if (credentials === undefined) return undefined;
  const isOwn = realm.origin === url.origin || credentials.shownTo.includes(realm.host);
  return isOwn ? basic(credentials) : undefined;
}

/** The realm is the server's word: never less safe than the server itself. */
function tokenUrl({ parameters }: Challenge, { gun, server }: Visit): URL | undefined {
  const url = URL.parse(parameters.get('realm') ?? '');
  const isPlain = url?.protocol === 'http:' && server.url.protocol === 'http:';
  if (url === null || !(url.protocol === 'https:' || isPlain)) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const service = parameters.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${gun}:pull`);
  return url;
}

function tokenIn(answer: OutsideAnswer): Authorized {
  if (answer.kind !== 'answer') return { kind: 'failed', why: outageOf(answer) };
  if (answer.status >= 500 || answer.status === 429) return { kind: 'failed', why: 'server-error' };
  const parsed = parseBounded(answer.body, { maxBytes, maxDepth: 8, maxMarks: 1000 });
  const read = decode(tokenForm, parsed.kind === 'json' ? parsed.value : undefined);
  const token = read.ok ? (read.value.access_token ?? read.value.token) : undefined;
  const isUsable = answer.status === 200 && token !== undefined && /^[\x21-\x7e]+$/.test(token);
  return isUsable ? { kind: 'header', authorization: `Bearer ${token}` } : refused;
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
