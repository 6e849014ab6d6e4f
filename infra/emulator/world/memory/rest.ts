import type { Question } from '#shared/adapters/cluster/ask.ts';
import type { Received } from '#shared/adapters/cluster/exchange.ts';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { parseSelector } from '#shared/domain/selector.ts';
import type { PatchBody, Target, Write, WriteOptions } from '#shared/ports.ts';
import { selected } from '../../testing/cluster/selecting.ts';
import type { Verb } from '../faults/verbs.ts';
import { idOf } from '../known-kinds.ts';
import type { ApiServer } from './api-server.ts';
import { discovered } from './discovery.ts';
import { type Asked, statusAnswer } from './rules.ts';

/** What a path means: a collection, or one object of it. */
type Route = {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
};

/** What our own cluster adapter asks over HTTP, answered without any: the adapter stays in the path. */
export async function answered(server: ApiServer, question: Question): Promise<Received> {
  const route = routeOf(server, question.path);
  if (route === undefined) return discovered(server, question.path);
  if (question.method !== 'GET') return changed(server, route, question);
  if (route.name === undefined) return listed(server, route, question);
  return found(server, { ...route, name: route.name }, question);
}

const shape =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/;

function routeOf({ kinds }: ApiServer, path: string): Route | undefined {
  const groups = shape.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const { group = '', namespace, resource = '', name, sub } = groups;
  const kind = kinds.at(group, decodeURIComponent(resource));
  return (
    kind && {
      kind,
      namespace: namespace && decodeURIComponent(namespace),
      name: name && decodeURIComponent(name),
      subresource: sub,
    }
  );
}

const verbOf: Readonly<Record<Question['method'], Verb>> = {
  GET: 'list',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function askedOf(server: ApiServer, { method, path }: Question): Asked {
  const route = routeOf(server, path);
  if (route === undefined) return { verb: 'other', resource: '' };
  const verb = method === 'GET' && route.name !== undefined ? 'get' : verbOf[method];
  return { verb, resource: idOf(route.kind) };
}

async function found(server: ApiServer, route: Target, question: Question): Promise<Received> {
  const object = await server.objects.find(route);
  if (object === undefined) return missing(route);
  if (!isPartial(question)) return ok(object);
  const { apiVersion, kind, metadata } = object;
  return ok({ apiVersion, kind, metadata });
}

function isPartial({ accept = '' }: Question): boolean {
  return accept.includes('as=PartialObjectMetadata');
}

function missing({ kind, name }: Target): Received {
  const message = `${idOf(kind)} "${name}" not found`;
  return statusAnswer(404, message, { name, group: kind.group, kind: kind.resource });
}

function ok(body: object, status = 200): Received {
  return { status, retryAfter: undefined, text: JSON.stringify(body) };
}

/** In one page: what lists in pages must stand is the contract suite's to try. */
function listed(server: ApiServer, { kind, namespace }: Route, question: Question): Received {
  const { query = {} } = question;
  const labels = parseSelector(query['labelSelector'] ?? '');
  const metadataOnly = isPartial(question);
  const objects = selected(server.objects.objects(kind), {
    namespace,
    labels,
    fields: query['fieldSelector'],
    metadataOnly,
  });
  const metadata = { resourceVersion: String(server.revision()) };
  const items = query['limit'] === '1' && metadataOnly ? objects.slice(0, 1) : objects;
  return ok({ apiVersion: 'v1', kind: `${kind.kind}List`, metadata, items });
}

async function changed(server: ApiServer, route: Route, question: Question): Promise<Received> {
  const body = (question.body ?? {}) as JsonObject;
  const write = await written(server, { route, body, question });
  switch (write.kind) {
    case 'written':
      return ok(write.object, question.method === 'POST' ? 201 : 200);
    case 'conflict':
      return statusAnswer(409, write.why);
    case 'not-found':
      return missing({ ...route, name: route.name ?? '' });
    case 'busy':
      return statusAnswer(429, write.why, { retryAfterSeconds: write.afterSeconds });
  }
}

type Writing = { readonly route: Route; readonly body: JsonObject; readonly question: Question };

function written({ objects }: ApiServer, { route, body, question }: Writing): Promise<Write> {
  const { kind, name } = route;
  const dryRun = question.query?.['dryRun'] === 'All';
  // Past the adapter: what it sends for an object is one.
  const object = body as KubeObject;
  if (name === undefined) return objects.create(kind, placed(object, route), { dryRun });
  const target: Target = { ...route, name };
  switch (question.method) {
    case 'POST':
      return objects.evict(
        { ...target, subresource: undefined },
        deleteOptions(body['deleteOptions']),
      );
    case 'PUT':
      return objects.replace(target, object, { dryRun });
    case 'DELETE':
      return objects.delete(target, deleteOptions(body));
    default:
      return patched(objects, { target, body, question, options: { dryRun } });
  }
}

/** The path says where. */
function placed(object: KubeObject, { namespace }: Route): KubeObject {
  return namespace === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, namespace } };
}

function deleteOptions(stated: Json | undefined): WriteOptions {
  if (!isJsonObject(stated)) return {};
  const { preconditions, dryRun } = stated;
  return {
    ...(isJsonObject(preconditions) ? (preconditions as WriteOptions) : {}),
    dryRun: dryRun !== undefined,
  };
}

type Patching = {
  readonly target: Target;
  readonly body: JsonObject;
  readonly question: Question;
  readonly options: WriteOptions;
};

function patched(objects: ApiServer['objects'], patching: Patching): Promise<Write> {
  const { target, body, question, options } = patching;
  const { contentType = '', query = {} } = question;
  if (contentType.startsWith('application/apply-patch')) {
    const { uid, resourceVersion } = (body as KubeObject).metadata;
    return objects.apply(target, body as KubeObject, {
      ...options,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      fieldManager: query['fieldManager'] ?? '',
      force: query['force'] === 'true',
    });
  }
  return objects.patch(target, patchBody(contentType, question.body), options);
}

/** Written by the adapter a moment ago. */
function patchBody(contentType: string, body: unknown): PatchBody {
  if (contentType === 'application/json-patch+json') {
    return { type: 'json', operations: body } as PatchBody;
  }
  const type = contentType.includes('strategic') ? 'strategic' : 'merge';
  return { type, body } as PatchBody;
}
