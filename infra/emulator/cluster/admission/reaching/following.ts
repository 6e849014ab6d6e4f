import type { IncomingMessage } from 'node:http';
import { asked, type Send, urlOf } from './asking.ts';
import { goWords, outOfTime } from './go-words.ts';
import type { Target } from './target.ts';
import { unposted } from './unreachable.ts';

const mostRequests = 10;

/** The answer of whoever is at the end of all redirects, which are followed as Go does. */
export async function followed(send: Send): Promise<IncomingMessage> {
  let at = send;
  for (let requests = 1; ; requests += 1) {
    const answer = await answeredAt(at);
    const { location } = answer.headers;
    if (location === undefined || !redirects.includes(answer.statusCode ?? 0)) return answer;
    answer.resume();
    if (requests === mostRequests) throw unposted(location, 'stopped after 10 redirects');
    at = redirected(at, location, answer.statusCode ?? 0);
  }
}

const redirects = [301, 302, 303, 307, 308];

async function answeredAt(at: Send): Promise<IncomingMessage> {
  try {
    return await asked(at);
  } catch (cause: unknown) {
    throw unposted(urlOf(at), at.deadline.aborted ? outOfTime : goWords(cause, at.target));
  }
}

function redirected(at: Send, location: string, status: number): Send {
  const from = urlOf(at);
  const to = location.startsWith(':') ? null : URL.parse(location, from);
  if (to === null) {
    const parsing = `parse "${location}": missing protocol scheme`;
    throw unposted(from, `failed to parse Location header "${location}": ${parsing}`);
  }
  if (to.protocol !== 'https:' && to.protocol !== 'http:') {
    throw unposted(location, `unsupported protocol scheme "${to.protocol.slice(0, -1)}"`);
  }
  const isPlain = to.protocol === 'http:';
  const isSame = to.host === at.target.hostHeader && isPlain === (at.isPlain ?? false);
  return {
    ...at,
    ...{ path: `${to.pathname}${to.search}`, isPlain, referer: isPlain ? undefined : from },
    target: isSame ? at.target : elsewhere(to, at.target),
    ...(status < 307 && { method: 'GET', body: '' }),
  };
}

/** Whom the webhook's authority vouches for is trusted there too. */
function elsewhere(to: URL, { ca }: Target): Target {
  const host = to.hostname.replace(/^\[|\]$/g, '');
  const port = Number(to.port || (to.protocol === 'http:' ? 80 : 443));
  return {
    ...{ host, port, ca, serverName: host, path: to.pathname, hostHeader: to.host },
    url: `${to.origin}${to.pathname}`,
    resolve: () => ({ kind: 'at', host, port }),
  };
}
