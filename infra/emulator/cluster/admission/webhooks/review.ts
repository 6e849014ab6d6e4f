import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { userInfo } from '../../access/reviews/self-review.ts';
import { type Asked, apiVersionOf } from './asked.ts';
import type { Called } from './matching.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

/** What is asked, in the version that the webhook is called in. */
export type Versioned = {
  readonly object: JsonObject | undefined;
  readonly before: JsonObject | undefined;
};

/** The first that both know. */
export function reviewVersion(stated: readonly string[]): ReviewVersion | undefined {
  return stated.find((version) => version === 'v1' || version === 'v1beta1');
}

/** The members stand as the real server writes them. */
export function requestOf(called: Called, asked: Asked, { object, before }: Versioned) {
  const { what, resource, kind } = asked;
  const { subresource, name, user, dryRun } = what;
  return {
    uid: randomUUID(),
    kind: called.kind,
    resource: called.resource,
    ...(subresource !== undefined && { subResource: subresource }),
    requestKind: kind,
    requestResource: resource,
    ...(subresource !== undefined && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(asked.namespace !== '' && { namespace: asked.namespace }),
    operation: what.operation,
    userInfo: userInfo(user),
    object: object ?? null,
    oldObject: before ?? null,
    dryRun,
    options: what.operation === 'CONNECT' ? null : optionsOf(what.operation, what.options),
  } satisfies JsonObject;
}

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' };

/** An apply is a create or an update to webhooks, and those know no force. */
function optionsOf(
  operation: keyof typeof optionKinds,
  { force: _, ...options }: JsonObject,
): JsonObject {
  return { ...options, kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1' };
}

/** Go's encoder ends what it writes with a new line. */
export function reviewText(request: JsonObject, version: ReviewVersion): string {
  const apiVersion = `admission.k8s.io/${version}`;
  return `${JSON.stringify({ kind: 'AdmissionReview', apiVersion, request })}\n`;
}

/** Where no conversion is needed but of the name, as between the versions of most custom kinds. */
export function renamed(object: JsonObject, to: Called['kind']): JsonObject {
  return { ...object, apiVersion: apiVersionOf(to), kind: to.kind };
}
