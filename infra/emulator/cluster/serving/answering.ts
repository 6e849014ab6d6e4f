import type { ServerResponse } from 'node:http';
import {
  notAllowed,
  notFound,
  pageNotFound,
  type Refusal,
  refusal,
  unknownResource,
} from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import { isRouted } from './accept-header.ts';
import { boundByBody } from './bindings.ts';
import { refusedConnection } from './connecting.ts';
import { reaching, unreachable } from './containers.ts';
import { withDeprecation } from './deprecations.ts';
import { patch, unknownPatch } from './patches.ts';
import { got, list, watch } from './reads.ts';
import { isOfMany } from './request.ts';
import { unshowable } from './showing.ts';
import { acted, subresourceOf } from './subresources.ts';
import { viewed } from './viewed.ts';
import type { Answer, Asked, World } from './world.ts';
import { deleted, deletedAll, posted, put } from './writes.ts';

/** What a collection answers; `undefined` where the answer goes on by itself, as a watch does. */
export async function answered(
  asked: Asked,
  world: World,
  response: ServerResponse,
): Promise<Answer | Refusal | undefined> {
  const deprecation = world.deprecationOf?.(asked.of.kind, asked.route.version);
  const no = unaskable(asked, world);
  if (no !== undefined) return isByRouter(no, asked) ? no : withDeprecation(no, deprecation);
  const answer = await whatever(asked, world, response);
  if (answer === undefined) return undefined;
  const isShown = answer.code < 300 && !isStatus(answer);
  const unshown = isShown ? unshowable(asked) : undefined;
  return withDeprecation(unshown ?? answer, deprecation);
}

/** What it refuses has not come to whoever knows the kind. */
function isByRouter(no: Refusal, { of, headers }: Asked): boolean {
  if (of.kind.isCustom) return no === pageNotFound;
  return no.code !== 406 || !isRouted(headers.accept);
}

/** Success has no other form than its own. */
function isStatus({ body }: Answer): boolean {
  return typeof body === 'object' && 'kind' in body && body['kind'] === 'Status';
}

async function whatever(
  asked: Asked,
  world: World,
  response: ServerResponse,
): Promise<Answer | Refusal | undefined> {
  const { route, verb } = asked;
  if (route.subresource !== undefined) return below(route.subresource, asked, world);
  if (isOfMany(verb)) return verb === 'watch' ? watch(asked, world, response) : list(asked, world);
  return verb === 'get' ? got(asked, world) : written(asked, world);
}

/** What no object can be asked in this way. */
function unaskable(asked: Asked, world: World): Refusal | undefined {
  const { route, of } = asked;
  if (route.namespace !== undefined && !of.kind.namespaced) {
    return of.kind.isCustom ? pageNotFound : unknownResource;
  }
  const no = withoutPlace(asked);
  if (no !== undefined) return no;
  if (isUnknown(asked, world)) return noSubresource(asked);
  return mayBeAsked(asked, world) ? unspeakable(asked) : unasked(asked);
}

/** In what form it comes, and in what form an answer is wanted. */
function unspeakable(asked: Asked): Refusal | undefined {
  const no = asked.verb === 'patch' ? unknownPatch(asked) : undefined;
  if (no !== undefined) return no;
  const isHeard = asked.of.kind.isCustom || isRouted(asked.headers.accept);
  if (asked.accepted === undefined || !isHeard) return notAcceptable(asked);
  return asked.verb === 'watch' ? unshowable(asked) : undefined;
}

/** One object of a namespace is asked for in it. */
function withoutPlace({ route, of, verb }: Asked): Refusal | undefined {
  if (route.namespace !== undefined || !of.kind.namespaced || isOfMany(verb)) return undefined;
  if (of.kind.isCustom) return pageNotFound;
  return route.name === undefined ? notAllowed : unknownResource;
}

/** What is only reached is told about later. */
function isUnknown({ of, route }: Asked, { parts }: World): boolean {
  const { subresource, version } = route;
  if (subresource === undefined || reaching.has(subresource)) return false;
  return subresourceOf(parts.rulesOf(of.kind, version), subresource) === undefined;
}

function mayBeAsked(asked: Asked, { parts }: World): boolean {
  const { of, route, verb } = asked;
  if (verb === 'other') return false;
  if (subresourceIsStream(route.subresource, of)) return verb === 'get' || verb === 'create';
  if (route.subresource === undefined) return isServed(asked);
  const found = subresourceOf(parts.rulesOf(of.kind, route.version), route.subresource);
  if (found === undefined) return true;
  if (found.shape === 'action') return verb === found.verb;
  return verb === 'update' || (route.subresource !== 'finalize' && /^(get|patch)$/.test(verb));
}

const streams: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

function subresourceIsStream(subresource: string | undefined, { kind }: Asked['of']): boolean {
  return idOf(kind) === 'pods' && streams.has(subresource ?? '');
}

/** The parts of custom objects have a handler of their own, with words of its own. */
function unasked({ of: { kind }, route, verb }: Asked): Refusal {
  if (!kind.isCustom || route.subresource === undefined || verb === 'other') return notAllowed;
  const message = `${verb} is not supported on resources of kind "${idOf(kind)}"`;
  const details = { group: kind.group, kind: kind.resource };
  return refusal(405, { reason: 'MethodNotAllowed', message, details });
}

/** A review is only made, and of it nothing is kept. */
function isServed({ of, route, verb }: Asked): boolean {
  const { verbs } = of.kind;
  const isNamed = route.name !== undefined;
  if (verbs?.includes(verb === 'version' ? 'list' : verb) === false) return false;
  if (verb === 'create') return !isNamed;
  return isNamed || (verb !== 'update' && verb !== 'patch');
}

/** What the router knows none of, and what is told where it let the types through; custom ones have no router. */
function notAcceptable({ headers, of, verb }: Asked): Refusal {
  const reason = 'NotAcceptable';
  if (of.kind.isCustom || isRouted(headers.accept)) {
    const message =
      'only the following media types are accepted: application/json, application/yaml';
    return refusal(406, { reason, message });
  }
  const message = `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml${isOfMany(verb) ? ', application/json;stream=watch' : ''}`;
  return refusal(406, { reason, message, details: {} });
}

function written(asked: Asked, world: World): Promise<Answer | Refusal> | Refusal {
  const isNamed = asked.route.name !== undefined;
  if (idOf(asked.of.kind) === 'bindings') return boundByBody(asked, world);
  if (asked.verb === 'create') return isNamed ? notAllowed : posted(asked, world);
  if (asked.verb === 'delete' && isNamed) return deleted(asked, world);
  // Namespaces end one by one.
  const isMany = asked.verb === 'delete' && idOf(asked.of.kind) !== 'namespaces';
  if (isMany) return deletedAll(asked, world);
  if (!isNamed) return notAllowed;
  return asked.verb === 'update' ? put(asked, world) : patch(asked, world);
}

async function below(name: string, asked: Asked, world: World): Promise<Answer | Refusal> {
  const no = (await refusedConnection(asked, world)) ?? unreachable(asked);
  if (no !== undefined) return no;
  const rules = world.parts.rulesOf(asked.of.kind, asked.route.version);
  const found = subresourceOf(rules, name);
  if (found === undefined) return noSubresource(asked);
  if (found.shape === 'view') return viewed(found, asked, world);
  if (found.shape === 'action') return acted(found, asked, world);
  if (asked.verb === 'get') return got(asked, world);
  if (asked.verb === 'update') return put(asked, world);
  return asked.verb === 'patch' ? patch(asked, world) : notAllowed;
}

/** Of a custom one it is the object that is not found. */
function noSubresource({ of, route: { name = '' } }: Asked): Refusal {
  return of.kind.isCustom ? notFound({ ...of.kind, name }) : unknownResource;
}
