import { decode, number, optional, record, text } from '#shared/domain/decode.ts';
import { jsonIn } from '#shared/domain/json.ts';
import type { OutsideRequest } from '#shared/domain/outside.ts';
import type { Challenge } from '#shared/domain/registry/challenge.ts';
import { type ReadFailure, readRefused } from '#shared/domain/registry/registry.ts';
import { type Account, basic, bearer } from './account.ts';
import { type Answered, failureFrom } from './outcome.ts';

export type Token = {
  readonly kind: 'token';
  readonly authorization: string;
  readonly forSeconds: number;
};

const maxBytes = 64 * 1024;
const answer = record({
  token: optional(text, ''),
  access_token: optional(text, ''),
  expires_in: optional(number),
});

export type TokenCall = Pick<
  OutsideRequest,
  'url' | 'authorization' | 'form' | 'maxBytes' | 'accept'
>;

export type TokenQuestion = {
  readonly realm: URL;
  readonly challenge: Challenge;
  /** Ours, not the challenge's: no server makes us ask for more than to read this repository. */
  readonly scope: string;
  readonly account: Account;
};

/** An identity token is a refresh token of OAuth2 and is posted; a password is shown in a header. */
export function tokenCall({ realm, challenge, scope, account }: TokenQuestion): TokenCall {
  const service = challenge.parameters.get('service');
  const asked = { ...(service === undefined ? {} : { service }), scope };
  const accept = 'application/json';
  if (account?.kind === 'identity-token') {
    const grant = { grant_type: 'refresh_token', refresh_token: account.token };
    const form = { ...grant, client_id: 'gatehouse', ...asked };
    return { url: realm.href, form, maxBytes, accept };
  }
  const url = new URL(realm);
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const authorization = account?.kind === 'password' ? basic(account) : undefined;
  return { url: url.href, authorization, maxBytes, accept };
}

const leastSeconds = 60;
const mostSeconds = 3_600;
/** It must still hold when it arrives. */
const marginSeconds = 10;

export function tokenFrom(answered: Answered, now: number): Token | ReadFailure {
  if (answered.status !== 200) return spoken(failureFrom(answered, now), answered);
  const read = decode(answer, jsonIn(Buffer.from(answered.body).toString('utf8')));
  const { token, access_token, expires_in } = read.ok ? read.value : nothing;
  const authorization = bearer(token || access_token);
  if (authorization === undefined) {
    return readRefused('challenge', `${new URL(answered.url).host} hands out no token`);
  }
  // As the specification has it, a token without a time serves for a minute; so does one with a wrong time.
  const stated = expires_in ?? leastSeconds;
  const forSeconds = Math.min(mostSeconds, Math.max(leastSeconds, stated)) - marginSeconds;
  return { kind: 'token', authorization, forSeconds };
}

const nothing = { token: '', access_token: '', expires_in: undefined };

/** A token server that has no page for us has not said that the image is missing. */
function spoken(failure: ReadFailure, { status }: Answered): ReadFailure {
  if (failure.kind === 'unavailable') return failure;
  return readRefused(
    [400, 401, 403].includes(status) ? 'denied' : 'challenge',
    `the token server: ${failure.about}`,
  );
}
