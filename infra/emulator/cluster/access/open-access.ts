import type { JsonObject } from '#shared/domain/json.ts';
import type { Access, Admitting, Attributes, Reading, User } from '../parts.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { authenticated } from './authenticating.ts';
import { impersonated } from './impersonating.ts';
import { type Authorizer, openAuthorizer } from './rbac/authorizing.ts';
import { refusedGrant } from './rbac/granting.ts';
import { accessReviewed } from './reviews/access-review.ts';
import { rulesReviewed, selfReviewed } from './reviews/self-review.ts';
import { tokenReviewed } from './reviews/token-review.ts';
import { type OpenId, openIdOf } from './tokens/open-id.ts';
import { issuedToken } from './tokens/requesting.ts';
import { openSigning } from './tokens/signing.ts';

export type AccessOptions = {
  readonly reading: Reading;
  readonly tokens: ReadonlyMap<string, User>;
  /** PEM, kept with the state: a new one makes all tokens void. */
  readonly signingKey: string;
  readonly issuer?: string;
  now(): Date;
};

export type OpenedAccess = Access & {
  /** For `Acting`. */
  issueToken(serviceAccount: JsonObject, request: JsonObject): JsonObject | Refusal;
  /** 403 or 404 for a role or a binding by which somebody would give more than he has. */
  refusedGrant(write: Admitting): Refusal | undefined;
  /** Of the kinds that are only questions. */
  reviewed(sent: JsonObject, asker: User): JsonObject | Refusal;
  openId(url: string): OpenId;
};

export function openAccess(options: AccessOptions): OpenedAccess {
  const { reading, now, issuer = 'https://kubernetes.default.svc.cluster.local' } = options;
  const authorizer = openAuthorizer(reading);
  const signing = openSigning(options.signingKey);
  const by = { ...options, issuer, signing };
  return {
    async whoIs(credentials) {
      const known = authenticated(credentials, by);
      if (known.kind === 'unknown') return unauthorized;
      return impersonated(known.user, credentials.impersonate, authorizer.decide);
    },
    may: (attributes) => authorizer.decide(inOwnNamespace(attributes)),
    issueToken: (account, request) => issuedToken(account, request, { ...by, reading }),
    refusedGrant: (write) => refusedGrant(write, authorizer),
    reviewed: (sent, asker) => reviewed(sent, asker, { authorizer, by, now: now() }),
    openId: (url) => openIdOf(signing, issuer, url),
  };
}

const unauthorized = refusal(401, { reason: 'Unauthorized', message: 'Unauthorized' });

/** A request for a namespace is one inside of it: its own admin may read it. */
export function inOwnNamespace(attributes: Attributes): Attributes {
  if ('path' in attributes) return attributes;
  const { group, resource, name, namespace } = attributes;
  const isNamespace = group === '' && resource === 'namespaces' && namespace === undefined;
  return isNamespace && name !== undefined ? { ...attributes, namespace: name } : attributes;
}

type Reviewers = {
  readonly authorizer: Authorizer;
  readonly by: Parameters<typeof tokenReviewed>[1];
  readonly now: Date;
};

function reviewed(
  sent: JsonObject,
  asker: User,
  { authorizer, by, now }: Reviewers,
): JsonObject | Refusal {
  switch (sent['kind']) {
    case 'SelfSubjectRulesReview':
      return rulesReviewed(sent, asker, authorizer);
    case 'SelfSubjectReview':
      return selfReviewed(sent, asker, now);
    case 'TokenReview':
      return tokenReviewed(sent, by);
    default:
      return accessReviewed(sent, asker, authorizer.decide);
  }
}
