import type { IncomingMessage, ServerResponse } from 'node:http';
import { groupDiscoveries } from '../discovery/aggregated.ts';
import { discovered } from '../discovery/discovery.ts';
import type { Faults, Instead } from '../faults.ts';
import type { User } from '../parts.ts';
import {
  internalError,
  isRefusal,
  notAllowed,
  pageNotFound,
  type Refusal,
  refusal,
  unknownResource,
} from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import type { Collection } from '../store/collection.ts';
import { errorLine } from '../watching/watch-line.ts';
import { answered } from './answering.ts';
import { bytesOf } from './body.ts';
import type { Counts } from './counts.ts';
import { credentialsOf } from './credentials.ts';
import { discoveryPage } from './documents.ts';
import { pageAt } from './pages.ts';
import { attributesOf, refusedBy } from './permitting.ts';
import { type Asking, askingOf } from './request.ts';
import type { Route } from './route.ts';
import { send } from './sending.ts';
import { timeLimitOf, withinTime } from './time-limit.ts';
import type { Answer, Resource, World } from './world.ts';

export type Server = {
  readonly world: World;
  readonly faults: Faults;
  readonly counts: Counts;
  readonly beside: readonly Beside[];
};

/** What else answers some requests: documents, reviews, APIs of other servers. `undefined` where it is none of its own. */
export type Beside = (
  asking: Asking,
  exchange: Exchange & { readonly user: User },
) => Promise<Answer | Refusal | 'answered' | undefined>;

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** One request: counted, perhaps spoiled, answered. */
export async function handle(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asking = askingOf(request);
  const about = { verb: asking.verb, ...aboutOf(asking.route) };
  server.counts.count(about);
  const instead = server.faults.refusesToken(request.headers.authorization)
    ? unauthorized
    : server.faults.take(about, await asker(server, request));
  if (instead !== undefined) return spoil({ request, response }, instead);
  const answer = await answerOf(server, asking, { request, response }).catch(failed);
  if (answer === undefined) return;
  await send(request, response, { answer, accepted: asking.accepted });
}

/** Only where a fault is for some and not for others. */
async function asker({ faults, world }: Server, request: IncomingMessage): Promise<string> {
  if (!faults.knowsUsers()) return '';
  const user = await world.parts.access.whoIs(credentialsOf(request));
  return isRefusal(user) ? '' : user.name;
}

function failed(cause: unknown): Refusal {
  return internalError(cause instanceof Error ? cause.message : String(cause));
}

const unauthorized: Instead = {
  kind: 'refusal',
  refusal: refusal(401, { reason: 'Unauthorized', message: 'Unauthorized' }),
};

function aboutOf(route: Route) {
  if (route.kind === 'plain') return { group: undefined, resource: undefined };
  // What a group lists of its versions is the aggregator's own answer, and not the group's.
  if (route.kind === 'discovery') {
    return { group: route.version === undefined ? undefined : route.group, resource: undefined };
  }
  return { group: route.group, resource: idOf(route) };
}

/** Who asks, whether he may, and what there is to say. */
async function answerOf(
  { world, beside }: Server,
  asking: Asking,
  { request, response }: Exchange,
): Promise<Answer | Refusal | undefined> {
  const limitMs = timeLimitOf(asking);
  if (isRefusal(limitMs)) return limitMs;
  const { access } = world.parts;
  const user = await access.whoIs(credentialsOf(request));
  if (isRefusal(user)) return user;
  const no = refusedBy(access, attributesOf(asking, request.method ?? 'GET', user));
  if (no !== undefined) return no;
  for (const other of beside) {
    const answer = await other(asking, { request, response, user });
    if (answer === 'answered') return undefined;
    if (answer !== undefined) return answer;
  }
  return withinTime(world, limitMs, (bound) =>
    ownAnswer(bound, asking, { request, response, user }),
  );
}

async function ownAnswer(
  world: World,
  asking: Asking,
  { request, response, user }: Exchange & { readonly user: User },
): Promise<Answer | Refusal | undefined> {
  const { route } = asking;
  const { collections } = world.store;
  if (route.kind !== 'resource') return aboutApi(world, asking, request);
  const of = collectionFor(collections, route);
  if ('code' in of) return of;
  const body = () => bytesOf(request);
  const asked = { ...asking, route, of, user, body, userAgent: request.headers['user-agent'] };
  return answered(asked, world, response);
}

function aboutApi({ store }: World, asking: Asking, request: IncomingMessage): Answer | Refusal {
  const { route, accepted, query } = asking;
  const kinds = [...store.collections.values()].map(({ kind }) => kind);
  if (route.kind === 'plain') return pageAt(route.path, query, kinds);
  if (route.kind !== 'discovery') return pageNotFound;
  const { group, version } = route;
  if (accepted?.as === 'group-discovery' && version === undefined && !group) {
    const body = groupDiscoveries(kinds, group === '' ? 'core' : 'groups');
    return discoveryPage(body, asking.headers['if-none-match']);
  }
  const body = discovered(kinds, route, hostOf(request));
  if (isRefusal(body)) return body;
  return request.method === 'GET' ? { code: 200, body } : notAllowed;
}

function hostOf({ headers }: IncomingMessage): string {
  return String(headers[':authority'] ?? headers.host ?? '');
}

function collectionFor(
  collections: ReadonlyMap<string, Collection>,
  route: Resource,
): Collection | Refusal {
  const of = collections.get(idOf(route));
  if (of?.kind.versions.includes(route.version)) return of;
  const isKnown = [...collections.values()].some(
    ({ kind }) => kind.group === route.group && !kind.isCustom,
  );
  // Of groups that nobody serves speaks the router, in plain text.
  return isKnown ? unknownResource : pageNotFound;
}

async function spoil({ request, response }: Exchange, instead: Instead): Promise<void> {
  if (instead.kind === 'silence') return;
  if (instead.kind === 'cut') return void response.destroy();
  if (instead.kind === 'refusal') {
    return send(request, response, { answer: instead.refusal, accepted: undefined });
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(instead.kind === 'event' ? errorLine(instead.status) : undefined);
}
