import type { IncomingMessage } from 'node:http';
import type { Verb } from '../faults.ts';
import { type Accepted, acceptedOf } from './accepting.ts';
import { type Route, routeOf } from './route.ts';

/** A request as far as all answers need it. */
export type Asking = {
  readonly route: Route;
  readonly path: string;
  readonly verb: Verb;
  readonly query: URLSearchParams;
  readonly accepted: Accepted | undefined;
  readonly headers: IncomingMessage['headers'];
};

const writes: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function askingOf({ url = '/', method = 'GET', headers }: IncomingMessage): Asking {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const route = routeOf(path);
  const accepted = acceptedOf(headers.accept);
  const isPartial = accepted?.as === 'partial';
  const verb = writes[method] ?? readVerb(route, { query, isPartial });
  return { route, path, verb, query, accepted, headers };
}

type Reading = { readonly query: URLSearchParams; readonly isPartial: boolean };

function readVerb(route: Route, { query, isPartial }: Reading): Verb {
  if (route.kind === 'discovery') return 'discovery';
  if (route.kind === 'plain') return 'other';
  if (route.name !== undefined) return 'get';
  if (/^(1|true)$/.test(query.get('watch') ?? '')) return 'watch';
  return query.get('limit') === '1' && !query.has('continue') && isPartial ? 'version' : 'list';
}
