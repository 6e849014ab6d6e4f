import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '#shared/domain/json.ts';
import { answered, type Resource, type World } from './answering.ts';
import type { Collection } from './collection.ts';
import type { Counts } from './counts.ts';
import { discovered } from './discovery.ts';
import type { Faults, Instead } from './faults.ts';
import { pageNotFound, type Refusal, refusal, unknownResource } from './refusal.ts';
import { type Asking, askingOf } from './request.ts';
import type { Route } from './route.ts';
import { idOf } from './served-kinds.ts';
import { errorLine } from './watch-line.ts';

export type Server = World & {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly faults: Faults;
  readonly counts: Counts;
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
    : server.faults.take(about);
  if (instead !== undefined) {
    spoil(response, instead);
    return;
  }
  const answer = await answerOf(server, asking, { request, response });
  if (answer !== undefined) send(response, answer, asking.verb === 'create' ? 201 : 200);
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

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

async function answerOf(
  server: Server,
  asking: Asking,
  exchange: Exchange,
): Promise<string | JsonObject | Refusal | undefined> {
  const { route } = asking;
  if (route.kind === 'plain') return plain(route.path);
  if (route.kind === 'discovery') return discovered(server.collections.values(), route);
  const of = collectionFor(server.collections, route);
  if ('code' in of) return of;
  return answered(of, { ...asking, route }, { world: server, ...exchange });
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

function plain(path: string): string | JsonObject | Refusal {
  if (path === '/version') return { major: '1', minor: '35', gitVersion: 'v1.35.4' };
  return ['/readyz', '/livez', '/healthz'].includes(path)
    ? { code: 200, body: 'ok' }
    : pageNotFound;
}

function spoil(response: ServerResponse, instead: Instead): void {
  if (instead.kind === 'silence') return;
  if (instead.kind === 'refusal') {
    write(response, instead.refusal);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(instead.kind === 'event' ? errorLine(instead.status) : undefined);
}

function send(response: ServerResponse, answer: string | JsonObject | Refusal, code: number): void {
  const isWhole = typeof answer === 'object' && 'code' in answer && 'body' in answer;
  write(response, isWhole ? (answer as Refusal) : { code, body: answer });
}

function write(response: ServerResponse, { code, body, headers }: Refusal): void {
  const isPlain = typeof body === 'string' && !body.startsWith('{');
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  response.writeHead(code, {
    'content-type': isPlain ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': bytes.length,
    ...headers,
  });
  response.end(bytes);
}
