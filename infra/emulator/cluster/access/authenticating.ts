import type { Credentials, Reading, User } from '../parts.ts';
import { texts } from './stated.ts';
import { heldBy } from './tokens/holding.ts';
import type { Signing } from './tokens/signing.ts';

export type Authenticators = {
  /** As the real server's token file. */
  readonly tokens: ReadonlyMap<string, User>;
  readonly signing: Signing;
  /** Of the tokens, and the one audience that they must have here. */
  readonly issuer: string;
  readonly reading: Reading;
  now(): Date;
};

export type Known =
  | { readonly kind: 'user'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: 'unknown'; readonly why: string };

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** A certificate speaks before a token. */
export function authenticated(
  { authorization, certificate }: Credentials,
  by: Authenticators,
): Known {
  if (certificate !== undefined && certificate.CN !== '') {
    return known(withAuthenticated(shownBy(certificate)), by);
  }
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ');
  if (scheme.toLowerCase() !== 'bearer' || token === '') return known(anonymous, by);
  return byToken(token, [by.issuer], by);
}

/** With what tells this certificate from others of the same name. */
function shownBy({ CN, O, fingerprint = '' }: NonNullable<Credentials['certificate']>): User {
  if (fingerprint === '') return { name: CN, groups: O };
  const id = `X509SHA256=${fingerprint}`;
  return { name: CN, groups: O, extra: { 'authentication.kubernetes.io/credential-id': [id] } };
}

function known(user: User, { issuer }: Authenticators): Known {
  return { kind: 'user', user, audiences: [issuer] };
}

/** For a TokenReview also of other audiences. */
export function byToken(token: string, audiences: readonly string[], by: Authenticators): Known {
  const stated = by.tokens.get(token);
  if (stated !== undefined && audiences.includes(by.issuer)) {
    return known(withAuthenticated(stated), by);
  }
  const verified = by.signing.verified(token);
  if (verified.kind === 'stranger') return { kind: 'unknown', why: 'invalid bearer token' };
  if (verified.kind === 'forged') {
    return unknown('go-jose/go-jose: error in cryptographic primitive');
  }
  const { aud, iss } = verified.claims;
  // Of another issuer's tokens this authenticator does not speak at all.
  if (iss !== by.issuer) return { kind: 'unknown', why: 'invalid bearer token' };
  const shared = texts(aud).filter((audience) => audiences.includes(audience));
  if (shared.length === 0) return unknown(wrongAudience(texts(aud), audiences));
  const held = heldBy(verified.claims, by.reading, by.now());
  return held.kind === 'user'
    ? { kind: 'user', user: held.user, audiences: shared }
    : unknown(held.why);
}

function unknown(why: string): Known {
  return { kind: 'unknown', why: `[invalid bearer token, ${why}]` };
}

function wrongAudience(stated: readonly string[], wanted: readonly string[]): string {
  const list = (values: readonly string[]) =>
    `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
  return `token audiences ${list(stated)} is invalid for the target audiences ${list(wanted)}`;
}

function withAuthenticated(user: User): User {
  return user.groups.includes('system:authenticated')
    ? user
    : { ...user, groups: [...user.groups, 'system:authenticated'] };
}
