import type { JsonObject } from '#shared/domain/json.ts';
import { inside, text } from '../../access/stated.ts';
import { badRequest, type Refusal, refusal } from '../../refusal.ts';
import { warningHeader } from '../../warning-header.ts';

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
  const said = {
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(text(reason) !== '' && { reason: text(reason) }),
    ...(details !== undefined && { details: detailsIn(inside(details)) }),
  };
  const seconds = inside(details)['retryAfterSeconds'];
  const wait = typeof seconds === 'number' && seconds > 0 ? seconds : undefined;
  const { body, headers } = refusal(code, said, wait);
  const own = { ...(body as JsonObject), ...ownIn(status) };
  return { code, body: own, headers: { ...headers, ...warningOf(warnings) } };
}

const detailNames = ['name', 'group', 'kind', 'uid', 'causes', 'retryAfterSeconds'];

function detailsIn(details: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(details).filter(([name]) => detailNames.includes(name)));
}

/** A denial is no success, whatever it calls itself. */
function ownIn({ status, metadata }: JsonObject): JsonObject {
  const isNamed = text(status) !== '' && status !== 'Success';
  return {
    ...(metadata !== undefined && { metadata: inside(metadata) }),
    ...(isNamed && { status: text(status) }),
  };
}

/** What has been said before stays said; a refusal that tells of it already stays as it is. */
export function afterWarnings(
  { headers, ...refused }: Refusal,
  warnings: readonly string[],
): Refusal {
  return { ...refused, headers: { ...warningOf(warnings), ...headers } };
}

function warningOf(warnings: readonly string[]): Refusal['headers'] {
  const warning = warningHeader(warnings);
  return warning.length === 0 ? {} : { warning };
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
