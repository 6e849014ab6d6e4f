import type { JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from './parts.ts';

/** A Status, or the router's plain text. */
export type Refusal = {
  readonly code: number;
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

type Why = {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: JsonObject;
};

export function statusOf(code: number, { reason, message = '', details }: Why): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function refusal(code: number, why: Why, retryAfter?: number): Refusal {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { code, body: statusOf(code, why), headers };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'body' in value;
}

export const pageNotFound: Refusal = { code: 404, body: '404 page not found\n' };

export const unknownResource = refusal(404, {
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
});

export function badRequest(message: string): Refusal {
  return refusal(400, { reason: 'BadRequest', message });
}

/** 422 with all causes; the message names each but once. */
export function invalid(
  { kind, group, name }: { readonly kind: string; readonly group: string; readonly name: string },
  errors: readonly FieldError[],
): Refusal {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const [only = ''] = texts;
  const why = texts.length === 1 ? only : `[${texts.join(', ')}]`;
  const type = group === '' ? kind : `${kind}.${group}`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const details = { ...(name && { name }), ...(group && { group }), ...(kind && { kind }), causes };
  return refusal(422, {
    reason: 'Invalid',
    message: `${type} "${name}" is invalid: ${why}`,
    details,
  });
}

/** Of what stands in the query. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): Refusal {
  return invalid({ kind, group: 'meta.k8s.io', name: '' }, errors);
}

export function internalError(message: string): Refusal {
  return refusal(500, {
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

export const notAllowed = refusal(405, {
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
});

export function tooOld(message: string): JsonObject {
  return statusOf(410, { reason: 'Expired', message });
}

export function ahead(wanted: number, current: number): Refusal {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' };
  const details = { causes: [cause], retryAfterSeconds: 1 };
  return refusal(504, { reason: 'Timeout', message, details }, 1);
}

type Named = { readonly resource: string; readonly group: string; readonly name: string };

export function notFound({ resource, group, name }: Named): Refusal {
  const id = group === '' ? resource : `${resource}.${group}`;
  return refusal(404, {
    reason: 'NotFound',
    message: `${id} "${name}" not found`,
    details: { name, ...(group === '' ? {} : { group }), kind: resource },
  });
}

export function conflict(
  reason: 'AlreadyExists' | 'Conflict',
  { resource, group, name }: Named,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): Refusal {
  const id = group === '' ? resource : `${resource}.${group}`;
  const message =
    reason === 'Conflict'
      ? `Operation cannot be fulfilled on ${id} "${name}": ${why}`
      : `${id} "${name}" already exists`;
  const details = { name, ...(group && { group }), kind: resource };
  return refusal(409, { reason, message, details });
}

export function forbidden({ resource, group, name }: Named, why: string): Refusal {
  const id = group === '' ? resource : `${resource}.${group}`;
  const message = `${id}${name && ` "${name}"`} is forbidden: ${why}`;
  const details = { ...(name && { name }), ...(group && { group }), kind: resource };
  return refusal(403, { reason: 'Forbidden', message, details });
}
