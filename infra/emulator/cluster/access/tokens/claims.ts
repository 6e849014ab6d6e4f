import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { nameOf, namespaceOf, uidOf } from '../stated.ts';

export type Bindable = 'pod' | 'secret' | 'node';

export type Claimed = {
  readonly serviceAccount: JsonObject;
  /** A pod's own node beside it. */
  readonly bound: Readonly<Partial<Record<Bindable, JsonObject>>>;
  readonly audiences: readonly string[];
  readonly issuer: string;
  readonly now: Date;
  readonly seconds: number;
  readonly warnAfterSeconds: number | undefined;
};

/** As the real server orders them: by name. */
export function claimsOf({ serviceAccount, bound, now, seconds, ...claimed }: Claimed): JsonObject {
  const issued = Math.floor(now.getTime() / 1000);
  const { warnAfterSeconds } = claimed;
  return {
    aud: claimed.audiences,
    exp: issued + seconds,
    iat: issued,
    iss: claimed.issuer,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace: namespaceOf(serviceAccount),
      ...(bound.node && { node: referenceTo(bound.node) }),
      ...(bound.pod && { pod: referenceTo(bound.pod) }),
      ...(bound.secret && { secret: referenceTo(bound.secret) }),
      serviceaccount: referenceTo(serviceAccount),
      ...(warnAfterSeconds !== undefined && { warnafter: issued + warnAfterSeconds }),
    },
    nbf: issued,
    sub: `system:serviceaccount:${namespaceOf(serviceAccount)}:${nameOf(serviceAccount)}`,
  };
}

function referenceTo(object: JsonObject): JsonObject {
  const uid = uidOf(object);
  return { name: nameOf(object), ...(uid !== '' && { uid }) };
}
