import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Patched } from '../parts.ts';
import { badRequest, type Refusal, refusal } from '../refusal.ts';
import { isBuiltIn } from './built-in.ts';
import { goJson } from './elements.ts';
import { operated } from './json-patch.ts';
import { mergePatched } from './merge-patch.ts';
import { strategicallyPatched } from './strategic/strategic.ts';

export const patched: Patched = (before, patch, { contentType, schema }) => {
  const sent = asJson(patch);
  const [type = ''] = contentType.split(';');
  if (type === 'application/json-patch+json') return byOperations(before, sent);
  if (type === 'application/merge-patch+json') return byMerge(before, sent);
  const custom = !isBuiltIn(String(before['apiVersion'] ?? 'v1'));
  if (type !== 'application/strategic-merge-patch+json' || custom) return unsupported(custom);
  if (sent === null) return before;
  return isJsonObject(sent)
    ? strategicallyPatched(before, sent, schema)
    : badRequest(misfit(sent, 'map[string]interface {}'));
};

/** A patch has come through a decoder of JSON or YAML. */
function asJson(patch: unknown): Json {
  return patch === undefined ? null : (patch as Json);
}

/** Custom resources are served by another handler, which says more. */
export function unsupported(custom: boolean): Refusal {
  const accepted = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'];
  const message = custom
    ? `the body of the request was in an unknown format - accepted media types include: ${accepted.map((type) => `application/${type}`).join(', ')}`
    : '415: Unsupported Media Type';
  return refusal(415, {
    reason: 'UnsupportedMediaType',
    message,
    ...(custom ? {} : { details: {} }),
  });
}

function misfit(sent: Json, type: string): string {
  return `json: cannot unmarshal ${nameOf(sent)} into Go value of type ${type}`;
}

function nameOf(value: Json): string {
  if (isList(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

const mostOperations = 10_000;

function byOperations(before: JsonObject, sent: Json): JsonObject | Refusal {
  if (sent === null) return before;
  if (!isList(sent)) return undecoded(misfit(sent, '[]handlers.jsonPatchOp'));
  const operations: JsonObject[] = [];
  for (const operation of sent) {
    const problem = problemOf(operation);
    if (problem !== undefined) return undecoded(problem);
    operations.push(isJsonObject(operation) ? operation : {});
  }
  if (operations.length > mostOperations) return tooMany(operations.length);
  const after = operated(before, operations);
  if (after === undefined) return unfit;
  return isJsonObject(after) ? after : noObject(after);
}

function problemOf(operation: Json): string | undefined {
  if (operation === null) return undefined;
  if (!isJsonObject(operation)) return misfit(operation, 'handlers.jsonPatchOp');
  for (const field of ['op', 'path', 'from']) {
    const value = operation[field];
    if (value === undefined || value === null || typeof value === 'string') continue;
    return `json: cannot unmarshal ${nameOf(value)} into Go struct field jsonPatchOp.${field} of type string`;
  }
  return undefined;
}

function undecoded(problem: string): Refusal {
  return badRequest(`error decoding patch: ${problem}`);
}

function tooMany(count: number): Refusal {
  return refusal(413, {
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${mostOperations}, got ${count}`,
  });
}

/** A path that is not there, or a test that does not hold: the server tells the two apart no more than this. */
const unfit = refusal(422, {
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
});

function noObject(after: Json): Refusal {
  const type =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const why = `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${type}`;
  const message = `Invalid value: ${JSON.stringify(goJson(after))}: ${why}`;
  return refusal(422, {
    reason: 'Invalid',
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}

function byMerge(before: JsonObject, sent: Json): JsonObject | Refusal {
  if (sent === null) return badRequest('Invalid JSON Patch');
  if (!isJsonObject(sent)) return undecoded(misfit(sent, 'map[string]interface {}'));
  return mergePatched(before, sent);
}
