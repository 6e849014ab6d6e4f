import type { JsonObject } from '#shared/domain/json.ts';
import type { OpenedAccess } from '../access/open-access.ts';
import { withMetadata } from '../pipeline/metadata.ts';
import { isRefusal, refusal } from '../refusal.ts';
import { bytesOf, objectIn } from './body.ts';
import type { Beside } from './handling.ts';

/** Kinds that are only questions: nothing is stored of them. */
export function reviews(access: OpenedAccess): Beside {
  return async ({ route, verb }, { request, user }) => {
    if (route.kind !== 'resource' || verb !== 'create' || !route.resource.endsWith('reviews')) {
      return undefined;
    }
    const bytes = await bytesOf(request);
    if (isRefusal(bytes)) return bytes;
    const sent = objectIn(bytes, request.headers['content-type'], route.resource);
    if (isRefusal(sent)) return sent;
    const answer = access.reviewed(placed(sent, route.namespace), user);
    return answer === undefined || isRefusal(answer) ? answer : { code: 201, body: answer };
  };
}

function placed(sent: JsonObject, namespace: string | undefined): JsonObject {
  return namespace === undefined ? sent : withMetadata(sent, { namespace });
}

/** Whom the tokens of service accounts can be checked by. */
export function openIdPages(access: OpenedAccess, url: () => string): Beside {
  return ({ route }) => {
    if (route.kind !== 'plain') return Promise.resolve(undefined);
    const { discovery, keySet } = access.openId(url());
    if (route.path === '/.well-known/openid-configuration') {
      return Promise.resolve({ code: 200, body: discovery });
    }
    const isKeys = route.path === '/openid/v1/jwks';
    return Promise.resolve(isKeys ? { code: 200, body: keySet } : undefined);
  };
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
