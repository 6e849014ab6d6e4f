import type { Fetch, FetchReply, FetchRequest } from './fetch.ts';

const mostRedirects = 3;

/** Follows to https, or where the first request was plain as well; what proves who we are stays with who asked for it. */
export function followingRedirects(fetch: Fetch, left = mostRedirects): Fetch {
  return async (request) => {
    const reply = await fetch(request);
    const next = nextOf(reply, request);
    if (next === undefined) return reply;
    return left === 0 ? { kind: 'unreachable' } : followingRedirects(fetch, left - 1)(next);
  };
}

const moved: readonly number[] = [301, 302, 303, 307, 308];

function nextOf(reply: FetchReply, request: FetchRequest): FetchRequest | undefined {
  if (reply.kind !== 'answer' || !moved.includes(reply.status)) return undefined;
  const location = reply.headers['location'];
  const url = location === undefined ? null : URL.parse(location, request.url.href);
  if (url === null || !isSafeStep(request.url, url)) return undefined;
  const headers = url.origin === request.url.origin ? request.headers : anonymous(request.headers);
  return { ...request, url, headers };
}

function isSafeStep(from: URL, to: URL): boolean {
  const isPlain = to.protocol === 'http:' && from.protocol === 'http:';
  return (to.protocol === 'https:' || isPlain) && to.username === '' && to.password === '';
}

function anonymous(headers: FetchRequest['headers']): FetchRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}
