import type { IncomingMessage } from 'node:http';
import type { Verb } from '../faults.ts';
import { yesOrNo } from '../reading/yes-or-no.ts';
import { type Accepted, acceptedOf } from './accepting.ts';
import { type Route, routeOf, withoutOldWatch } from './route.ts';

/** A request as far as all answers need it. */
export type Asking = {
  readonly route: Route;
  readonly path: string;
  readonly verb: Verb;
  readonly query: URLSearchParams;
  readonly accepted: Accepted | undefined;
  readonly headers: IncomingMessage['headers'];
};

const methods: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function askingOf({ url = '/', method = 'GET', headers }: IncomingMessage): Asking {
  const mark = url.indexOf('?');
  const stated = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const watched = withoutOldWatch(stated);
  const path = watched ?? stated;
  const route = watched === undefined ? routeOf(path) : followed(routeOf(path), query);
  const accepted = acceptedOf(headers.accept, route.kind);
  const isPartial = accepted?.as === 'partial';
  const verb = methods[method] ?? otherVerb(method, route, { query, isPartial });
  return { route, path, verb, query, accepted, headers };
}

type Reading = { readonly query: URLSearchParams; readonly isPartial: boolean };

/** One object is followed as the list that it alone is in. */
function followed(route: Route, query: URLSearchParams): Route {
  query.set('watch', '1');
  if (route.kind !== 'resource' || route.name === undefined) return route;
  query.set('fieldSelector', `metadata.name=${route.name}`);
  return { ...route, name: undefined };
}

/** Of objects nobody takes a HEAD, and what else there is. */
function otherVerb(method: string, route: Route, reading: Reading): Verb {
  return method !== 'GET' && route.kind === 'resource' ? 'other' : readVerb(route, reading);
}

function readVerb(route: Route, { query, isPartial }: Reading): Verb {
  if (route.kind === 'discovery') return 'discovery';
  if (route.kind === 'plain') return 'other';
  if (route.name !== undefined) return 'get';
  if (yesOrNo(query, 'watch') === true) return 'watch';
  return query.get('limit') === '1' && !query.has('continue') && isPartial ? 'version' : 'list';
}

export function isOfMany(verb: Verb): boolean {
  return verb === 'list' || verb === 'version' || verb === 'watch';
}
