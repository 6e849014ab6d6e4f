import type { JsonObject } from '#shared/domain/json.ts';

/** A Status, or the router's plain text. */
export type Refusal = {
  readonly code: number;
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
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

export function conflict(reason: 'AlreadyExists' | 'Conflict', { resource, name }: Named): Refusal {
  const message =
    reason === 'Conflict'
      ? `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`
      : `${resource} "${name}" already exists`;
  return refusal(409, { reason, message, details: { name, kind: resource } });
}
