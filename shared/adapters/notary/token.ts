import { decode, maybe, record, text } from '#shared/domain/decode.ts';
import { parseBounded } from '#shared/domain/image-trust/tuf/bounded-json.ts';
import type { Challenge } from './challenge.ts';
import type { Answer, Credentials, Fetch, FetchReply } from './fetch.ts';

const maxBytes = 1 << 16;
const tokenForm = record({ token: maybe(text), access_token: maybe(text) });

type Errand = {
  readonly fetch: Fetch;
  readonly credentials: Credentials | undefined;
  readonly gun: string;
  readonly server: URL;
  readonly signal: AbortSignal;
};

/** What the request is to say of us, or the reply that there will not be any. */
export type Authorized =
  | { readonly kind: 'header'; readonly authorization: string }
  | { readonly kind: 'refused' }
  | Exclude<FetchReply, Answer>;

/** As a registry's client does: the right to pull this one collection and nothing else. */
export async function authorize(challenge: Challenge, errand: Errand): Promise<Authorized> {
  const { credentials, signal } = errand;
  if (challenge.kind === 'basic') {
    return credentials === undefined
      ? { kind: 'refused' }
      : { kind: 'header', authorization: basic(credentials) };
  }
  const url = tokenUrl(challenge, errand);
  if (url === undefined) return { kind: 'refused' };
  const headers: Record<string, string> =
    (credentials && { authorization: basic(credentials) }) || {};
  const reply = await errand.fetch({ url, headers, maxBytes, signal });
  return reply.kind === 'answer' ? bearer(reply) : reply;
}

/** The realm is the server's word: never less safe than the server itself. */
function tokenUrl(
  { realm, service }: Extract<Challenge, { kind: 'bearer' }>,
  { gun, server }: Errand,
): URL | undefined {
  const url = URL.parse(realm);
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && server.protocol === 'http:');
  if (url === null || !isSafe || url.username !== '' || url.password !== '') return undefined;
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${gun}:pull`);
  return url;
}

function bearer({ status, body }: Answer): Authorized {
  if (status >= 500 || status === 429) return { kind: 'unreachable' };
  const parsed = parseBounded(body, { maxBytes, maxDepth: 8, maxMarks: 1000 });
  const read = decode(tokenForm, parsed.kind === 'json' ? parsed.value : undefined);
  const token = read.ok ? (read.value.access_token ?? read.value.token) : undefined;
  const isUsable = status === 200 && token !== undefined && /^[\x21-\x7e]+$/.test(token);
  return isUsable ? { kind: 'header', authorization: `Bearer ${token}` } : { kind: 'refused' };
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
