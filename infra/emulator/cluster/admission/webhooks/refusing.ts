import type { JsonObject } from '#shared/domain/json.ts';
import { inside, text } from '../../access/stated.ts';
import { badRequest, type Refusal, refusal } from '../../refusal.ts';

/** What a webhook has denied, under its name, in its own words and with its own code. */
export function deniedBy(
  name: string,
  status: JsonObject,
  warnings: readonly string[] = [],
): Refusal {
  const { code: stated, message, reason, details } = status;
  const code = typeof stated === 'number' && stated >= 400 ? stated : 400;
  const why = text(message) || text(reason);
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { body } = refusal(code, {
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(text(reason) !== '' && { reason: text(reason) }),
    ...(details !== undefined && { details: inside(details) }),
  });
  return warnings.length === 0
    ? { code, body }
    : { code, body, headers: { warning: told(warnings) } };
}

function told(warnings: readonly string[]): readonly string[] {
  return [...new Set(warnings)].map((text) => `299 - ${JSON.stringify(text)}`);
}

/** 500: a webhook that must be asked could not be. */
export function callFailed(name: string, why: string): Refusal {
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`);
}

export function internalError(why: string): Refusal {
  return refusal(500, {
    message: `Internal error occurred: ${why}`,
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
  });
}

export function noDryRun(name: string): Refusal {
  return badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

export function modifiesNothing(name: string): Refusal {
  return internalError(
    `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
  );
}
