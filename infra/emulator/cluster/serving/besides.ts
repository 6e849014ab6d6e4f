import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { OpenedAccess } from '../access/open-access.ts';
import type { Admission, Admitting, User } from '../parts.ts';
import { withMetadata } from '../pipeline/metadata.ts';
import { writeOptionsOf } from '../pipeline/options.ts';
import { isRefusal, type Refusal, refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import type { Store } from '../store/store.ts';
import { bytesOf, objectIn } from './body.ts';
import type { Beside } from './handling.ts';
import type { Answer, Resource } from './world.ts';

/** Kinds that are only questions: nothing is stored of them. */
export function reviews(access: OpenedAccess, asks: Asks): Beside {
  return async ({ route, verb, query }, { request, user }) => {
    if (route.kind !== 'resource' || verb !== 'create' || !route.resource.endsWith('reviews')) {
      return undefined;
    }
    const bytes = await bytesOf(request);
    if (isRefusal(bytes)) return bytes;
    const sent = objectIn(bytes, request.headers['content-type'], route.resource);
    if (isRefusal(sent)) return sent;
    const object = await asks({ route, query, object: placed(sent, route.namespace), user });
    return isRefusal(object) ? object : madeOf(access.reviewed(object, user));
  };
}

function madeOf(answer: ReturnType<OpenedAccess['reviewed']>) {
  return answer === undefined || isRefusal(answer) ? answer : { code: 201, body: answer };
}

type Review = {
  readonly route: Resource;
  readonly query: URLSearchParams;
  readonly object: JsonObject;
  readonly user: User;
};

/** Whether somebody has anything against the question. */
export type Asks = (review: Review) => Promise<JsonObject | Refusal>;

export function asking(admission: Admission, store: Store): Asks {
  return async ({ route, query, object, user }) => {
    const of = store.collections.get(idOf(route));
    const options = writeOptionsOf({ verb: 'create', query, userAgent: undefined, isApply: false });
    if (isRefusal(options)) return options;
    if (of === undefined) return object;
    const what: Admitting = {
      ...{ kind: of.kind, version: route.version, namespace: route.namespace, user },
      ...{ subresource: undefined, operation: 'CREATE', before: undefined, name: '' },
      ...{ options: options.stated, dryRun: options.dryRun, defaulted: (next) => next },
      object: { ...object, kind: of.kind.kind, apiVersion: apiVersion(route) },
    };
    const mutated = await admission.mutate(what);
    if (isRefusal(mutated)) return mutated;
    const next = mutated.object ?? object;
    const valid = await admission.validate({ ...what, object: next });
    return isRefusal(valid) ? valid : next;
  };
}

function placed(sent: JsonObject, namespace: string | undefined): JsonObject {
  return namespace === undefined ? sent : withMetadata(sent, { namespace });
}

/** Whom the tokens of service accounts can be checked by. */
export function openIdPages(access: OpenedAccess, url: () => string): Beside {
  return ({ route, headers }) => {
    if (route.kind !== 'plain') return Promise.resolve(undefined);
    const { discovery, keySet } = access.openId(url());
    if (route.path === '/.well-known/openid-configuration') {
      return Promise.resolve(asItIs(discovery, 'application/json'));
    }
    if (route.path !== '/openid/v1/jwks') return Promise.resolve(undefined);
    const isWanted = /^$|\*\/\*|application\/(\*|jwk-set\+json)/.test(headers.accept ?? '');
    return Promise.resolve(isWanted ? asItIs(keySet, keyType) : noKeys);
  };
}

const keyType = 'application/jwk-set+json';
const noKeys = refusal(406, {
  reason: 'NotAcceptable',
  message: `406: Not Acceptable\n\nAvailable representations: ${keyType}`,
  details: {},
});

function asItIs(page: JsonObject, type: string): Answer {
  return { code: 200, body: JSON.stringify(page), headers: { 'content-type': type } };
}

/** What cannot be kept is not written: nothing is lost in silence. Reads and watches go on. */
export function refusingWrites(problem: () => string | undefined): Beside {
  return ({ verb }) => {
    const why = writes.has(verb) ? problem() : undefined;
    const message = `the state of the cluster cannot be kept: ${why}`;
    return Promise.resolve(
      why === undefined ? undefined : refusal(503, { reason: 'ServiceUnavailable', message }, 1),
    );
  };
}

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);
