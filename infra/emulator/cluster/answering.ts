import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type Json } from '#shared/domain/json.ts';
import { type At, type changing, nameIn } from './changing.ts';
import type { Collection } from './collection.ts';
import { badVersion, isFuture, listed } from './listing.ts';
import { ahead, badRequest, isRefusal, type Refusal, refusal, unknownResource } from './refusal.ts';
import { type Asking, bodyOf, viewOf } from './request.ts';
import type { Route } from './route.ts';
import { selecting } from './selecting.ts';
import { type Stored, textOf } from './stored.ts';
import { type Surroundings, serveWatch, type Watch } from './watching.ts';

export type Resource = Route & { readonly kind: 'resource' };

export type World = {
  readonly changes: ReturnType<typeof changing>;
  readonly around: Surroundings;
};

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** What a collection answers; `undefined` where the answer goes on by itself, as a watch does. */
export async function answered(
  of: Collection,
  asking: Asking & { readonly route: Resource },
  { world, request, response }: Exchange & { readonly world: World },
): Promise<string | Refusal | undefined> {
  if (asking.verb === 'list' || asking.verb === 'version') return list(of, asking, world);
  if (asking.verb === 'watch') return watch(of, asking, { world, response });
  return one(of, asking, { world, request });
}

type Asked = Asking & { readonly route: Resource };

function selectsOf({ route, query }: Asked) {
  return selecting({
    namespace: route.namespace,
    labels: query.get('labelSelector') ?? undefined,
    fields: query.get('fieldSelector') ?? undefined,
  });
}

function list(of: Collection, asked: Asked, { around }: World): string | Refusal {
  const selects = selectsOf(asked);
  if (isRefusal(selects)) return selects;
  const { query, route } = asked;
  const wanted = query.get('resourceVersion') ?? undefined;
  if (isFuture(wanted, around.revision())) return ahead(Number(wanted), around.revision());
  return listed({
    of,
    selects,
    view: viewOf(route.version, asked),
    limit: query.get('limit') ?? undefined,
    continue: query.get('continue') ?? undefined,
    revision: around.revision(),
  });
}

function watch(
  of: Collection,
  asked: Asked,
  { world, response }: { readonly world: World; readonly response: ServerResponse },
): Refusal | undefined {
  const selects = selectsOf(asked);
  const from = fromOf(asked);
  if (isRefusal(selects)) return selects;
  if (isRefusal(from)) return from;
  const { query, route } = asked;
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const watch: Watch = {
    of,
    selects,
    view: viewOf(route.version, asked),
    from,
    endsInitial: bookmarks && query.get('sendInitialEvents') === 'true',
    bookmarks,
    timeoutMs: Number(query.get('timeoutSeconds') ?? 1_800) * 1_000,
  };
  serveWatch(response, watch, world.around);
  return undefined;
}

function fromOf({ query }: Asked): Watch['from'] | Refusal {
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) return badVersion(version);
  if (query.get('sendInitialEvents') !== 'true') {
    return version === '' || version === '0' ? 'initial' : Number(version);
  }
  if (query.get('resourceVersionMatch') === 'NotOlderThan') return 'initial';
  const message = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  return refusal(422, { reason: 'Invalid', message });
}

async function one(
  of: Collection,
  asked: Asked,
  { world, request }: { readonly world: World; readonly request: IncomingMessage },
): Promise<string | Refusal> {
  const body = asked.verb === 'get' ? {} : ((await bodyOf(request)) as Json);
  const name = asked.route.name ?? (isJsonObject(body) ? nameIn(body) : badRequest('no object'));
  if (isRefusal(name)) return name;
  if (asked.route.subresource !== undefined) return unknownResource;

  const at: At = { of, namespace: asked.route.namespace, name };
  const stored = written(world.changes, at, { verb: asked.verb, body, request });
  if (isRefusal(stored)) return stored;
  return textOf(stored, of.kind, viewOf(asked.route.version, asked));
}

type Write = {
  readonly verb: Asking['verb'];
  readonly body: Json;
  readonly request: IncomingMessage;
};

function written(
  changes: ReturnType<typeof changing>,
  at: At,
  { verb, body, request }: Write,
): Stored | Refusal {
  const object = isJsonObject(body) ? body : {};
  switch (verb) {
    case 'create':
      return changes.create(at, object);
    case 'update':
      return changes.update(at, object);
    case 'patch':
      return changes.patch(at, body, request.headers['content-type'] ?? '');
    case 'delete': {
      const { preconditions } = object;
      return changes.delete(at, isJsonObject(preconditions) ? preconditions : {});
    }
    default:
      return changes.find(at);
  }
}
