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
import { boundByBody } from './bindings.ts';
import { refusedConnection } from './connecting.ts';
import { unreachable } from './containers.ts';
import { patch } from './patches.ts';
import { got, list, watch } from './reads.ts';
import { isOfMany } from './request.ts';
import { unshowable } from './showing.ts';
import { acted, subresourceOf, viewed } from './subresources.ts';
import type { Answer, Asked, World } from './world.ts';
import { deleted, deletedAll, posted, put } from './writes.ts';

/** What a collection answers; `undefined` where the answer goes on by itself, as a watch does. */
export async function answered(
  asked: Asked,
  world: World,
  response: ServerResponse,
): Promise<Answer | Refusal | undefined> {
  const no = unaskable(asked);
  if (no !== undefined) return no;
  const { route, verb } = asked;
  if (route.subresource !== undefined) return below(route.subresource, asked, world);
  if (isOfMany(verb)) return verb === 'watch' ? watch(asked, world, response) : list(asked, world);
  return verb === 'get' ? got(asked, world) : written(asked, world);
}

/** What no object can be asked in this way. */
function unaskable(asked: Asked): Refusal | undefined {
  const { route, verb, of } = asked;
  if (asked.accepted === undefined) return notAcceptable;
  if (verb === 'other') return notAllowed;
  if (route.namespace !== undefined && !of.kind.namespaced) {
    return of.kind.isCustom ? pageNotFound : unknownResource;
  }
  return withoutPlace(asked) ?? (mayBeAsked(asked) ? unshowable(asked) : notAllowed);
}

/** One object of a namespace is asked for in it. */
function withoutPlace({ route, of, verb }: Asked): Refusal | undefined {
  if (route.namespace !== undefined || !of.kind.namespaced || isOfMany(verb)) return undefined;
  return route.name === undefined ? notAllowed : unknownResource;
}

/** A review is only made, and of it nothing is kept. */
function mayBeAsked({ of, route, verb }: Asked): boolean {
  const { verbs } = of.kind;
  if (verbs === undefined || route.subresource !== undefined) return true;
  return verbs.includes(verb === 'version' ? 'list' : verb);
}

const notAcceptable = refusal(406, {
  reason: 'NotAcceptable',
  message:
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/json;stream=watch',
  details: {},
});

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
