import type { IncomingMessage } from 'node:http';
import type { Verb } from './faults.ts';
import { type Route, routeOf } from './route.ts';
import type { View } from './stored.ts';

/** A request as far as all answers need it. */
export type Asking = {
  readonly route: Route;
  readonly verb: Verb;
  readonly query: URLSearchParams;
  readonly isPartial: boolean;
};

const writes: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function askingOf({ url = '/', method = 'GET', headers }: IncomingMessage): Asking {
  const { pathname, searchParams: query } = new URL(url, 'http://cluster');
  const route = routeOf(pathname);
  const isPartial = /as=PartialObjectMetadata/.test(headers.accept ?? '');
  const verb = writes[method] ?? readVerb(route, { query, isPartial });
  return { route, verb, query, isPartial };
}

function readVerb(route: Route, { query, isPartial }: Pick<Asking, 'query' | 'isPartial'>): Verb {
  if (route.kind === 'discovery') return 'discovery';
  if (route.kind === 'plain') return 'other';
  if (route.name !== undefined) return 'get';
  if (/^(1|true)$/.test(query.get('watch') ?? '')) return 'watch';
  return query.get('limit') === '1' && !query.has('continue') && isPartial ? 'version' : 'list';
}

export function viewOf(version: string, { isPartial }: Asking): View {
  return { version, isPartial };
}

export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : JSON.parse(text);
}
