import type { JsonObject } from '#shared/domain/json.ts';
import { badRequest, type Refusal } from '../../refusal.ts';
import { type Authenticators, byToken } from '../authenticating.ts';
import { inside, text, texts } from '../stated.ts';
import { answered } from './answered.ts';
import { userInfo } from './self-review.ts';

/** Whose token it is, for servers that have none of the keys. */
export function tokenReviewed(sent: JsonObject, by: Authenticators): JsonObject | Refusal {
  const spec = inside(sent['spec']);
  const token = text(spec['token']);
  if (token === '') return badRequest('token is required for TokenReview in authentication');
  const asked = texts(spec['audiences']);
  const known = byToken(token, asked.length === 0 ? [by.issuer] : asked, by);
  const status =
    known.kind === 'user'
      ? { authenticated: true, user: userInfo(known.user), audiences: known.audiences }
      : { user: {}, error: known.why };
  return answered(sent, spec, status);
}
