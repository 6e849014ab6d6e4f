import type { IncomingMessage } from 'node:http';
import {
  type Outside,
  type OutsideAnswer,
  type OutsideHost,
  type OutsideRequest,
  refused,
} from '#shared/domain/outside.ts';
import { bodyOf } from './body.ts';
import { opened, type Sent } from './exchange.ts';
import { failureOf } from './failure.ts';
import {
  guardedLookup,
  type Resolve,
  resolveBySystem,
  whyLiteralBlocked,
} from './guarded-lookup.ts';
import {
  firstHop,
  type Hop,
  type Hosts,
  hostsByName,
  isRedirect,
  nextHop,
  originOf,
} from './hop.ts';
import { openPools, type Pools } from './pools.ts';

export type OutsideOptions = {
  readonly hosts: readonly OutsideHost[];
  readonly userAgent: string;
  /** Of one read with all its redirects, whatever its caller allows. */
  readonly deadlineMs: number;
  /** Further requests wait for one of these. */
  readonly connectionsPerHost: number;
  /** The process has one that is fair, for all its doors. */
  readonly resolve?: Resolve;
};

export function openOutside(options: OutsideOptions): Outside {
  const hosts = hostsByName(options.hosts);
  const pools = openPools(options);
  const road: Road = { hosts, pools, resolve: options.resolve ?? resolveBySystem, options };
  return {
    read: async (request) => {
      const deadline = AbortSignal.timeout(options.deadlineMs);
      const signal = AbortSignal.any([deadline, request.signal]);
      return read(road, { ...request, signal });
    },
    originOf: (host) => originOf(host, hosts),
    close: pools.close,
  };
}

type Road = {
  readonly hosts: Hosts;
  readonly pools: Pools;
  readonly resolve: Resolve;
  readonly options: OutsideOptions;
};

async function read(road: Road, request: OutsideRequest): Promise<OutsideAnswer> {
  let hop = firstHop(request.url, request.authorization, road.hosts);
  for (;;) {
    if ('kind' in hop) return hop;
    const answer = await answerAt(road, hop, request);
    if (answer.kind !== 'answer' || !isRedirect(answer.status)) return answer;
    // What was posted is a secret as a rule, and nobody else's.
    if (request.form !== undefined) return refused('redirect', 'what is posted is not sent on');
    hop = nextHop(hop, answer.headers['location'], road.hosts);
  }
}

async function answerAt(road: Road, hop: Hop, request: OutsideRequest): Promise<OutsideAnswer> {
  const { url } = hop;
  const ground = { reach: request.reach, host: road.hosts.get(url.host) };
  const why = whyLiteralBlocked(url, ground);
  if (why !== undefined) return refused('address', why);
  try {
    const answer = await opened({
      ...written(road, hop, request),
      agent: road.pools.for(url, ground),
      signal: request.signal,
    });
    return await taken(answer, url, request);
  } catch (cause: unknown) {
    return failureOf(cause, { url, signal: request.signal });
  }
}

async function taken(
  answer: IncomingMessage,
  url: URL,
  { maxBytes }: OutsideRequest,
): Promise<OutsideAnswer> {
  const status = answer.statusCode ?? 0;
  const body = await bodyOf(answer, maxBytes);
  if (body.kind === 'refused') return body;
  return {
    kind: 'answer',
    status,
    headers: headersOf(answer),
    body: body.bytes,
    url: url.href,
  };
}

/** All that were sent: where Node would keep the first of two, a server could mean either. */
function headersOf({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  );
}

function written(
  { resolve, hosts, options }: Road,
  { url, authorization }: Hop,
  { accept, form, reach }: OutsideRequest,
): Pick<Sent, 'url' | 'options' | 'body'> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const headers = {
    accept: accept ?? '*/*',
    'accept-encoding': 'identity',
    'user-agent': options.userAgent,
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : posted(body)),
  };
  const lookup = guardedLookup(resolve, { reach, host: hosts.get(url.host) });
  return {
    url,
    body,
    options: { method: body === undefined ? 'GET' : 'POST', headers, lookup },
  };
}

function posted(body: string) {
  return {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
  };
}
