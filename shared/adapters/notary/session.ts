import type { Ask, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import { addressOf } from './address.ts';
import { readChallenge } from './challenge.ts';
import type { Answer, Credentials, Fetch, FetchReply } from './fetch.ts';
import { authorize } from './token.ts';

export type NotaryServer = {
  readonly url: URL;
  readonly credentials: Credentials | undefined;
};

export type Session = (ask: Ask) => Promise<Reply>;

type Visit = {
  readonly fetch: Fetch;
  readonly server: NotaryServer;
  readonly gun: string;
  readonly signal: AbortSignal;
};

/** All files of one verification: what the first request had to show, the others show at once. */
export function openSession(visit: Visit): Session {
  let shown: string | undefined;
  return async (ask) => {
    const first = await request(ask, visit, shown);
    if (first.kind !== 'answer' || first.status !== 401) return toReply(first);

    const authorized = await admission(first, visit);
    if (authorized.kind === 'refused') return { kind: 'failed', why: 'unauthorized' };
    if (authorized.kind !== 'header') return { kind: 'failed', why: outageOf(authorized) };
    shown = authorized.authorization;
    return toReply(await request(ask, visit, shown));
  };
}

function request(ask: Ask, { fetch, server, gun, signal }: Visit, authorization?: string) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const url = addressOf(server.url, gun, ask);
  return fetch({ url, headers, maxBytes: ask.maxBytes, signal });
}

async function admission({ headers }: Answer, { fetch, server, gun, signal }: Visit) {
  const challenge = readChallenge(headers['www-authenticate'] ?? '');
  if (challenge === undefined) return { kind: 'refused' } as const;
  const { credentials, url } = server;
  return authorize(challenge, { fetch, credentials, gun, server: url, signal });
}

/** Only what a server says of its files is a statement about them; whatever else it says is an outage. */
function toReply(reply: FetchReply): Reply {
  if (reply.kind === 'too-large' && reply.status === 200) return { kind: 'too-large' };
  if (reply.kind !== 'answer') return { kind: 'failed', why: outageOf(reply) };
  if (reply.status === 200) return { kind: 'file', bytes: reply.body };
  if (reply.status === 404 || reply.status === 410) return { kind: 'absent' };
  const isRefused = reply.status === 401 || reply.status === 403;
  return { kind: 'failed', why: isRefused ? 'unauthorized' : 'server-error' };
}

function outageOf({ kind }: Exclude<FetchReply, Answer>): 'timeout' | 'unreachable' {
  return kind === 'timeout' ? 'timeout' : 'unreachable';
}
