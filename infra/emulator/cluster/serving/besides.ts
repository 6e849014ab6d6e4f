import type { JsonObject } from '#shared/domain/json.ts';
import type { OpenedAccess } from '../access/open-access.ts';
import { refusal } from '../refusal.ts';
import type { Beside } from './handling.ts';
import type { Answer } from './world.ts';

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
