import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { applyPatch, type Operation } from '#shared/domain/json-patch.ts';
import { parsePointer, valueAt } from '#shared/domain/json-pointer.ts';
import { badRequest, type Refusal, refusal } from '../refusal.ts';

const unfit = refusal(422, {
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
});

type Step = Operation | { readonly op: 'test'; readonly path: string; readonly value: Json };

export function byOperations(object: JsonObject, patch: unknown): JsonObject | Refusal {
  if (!Array.isArray(patch)) return badRequest('the patch is no list');
  try {
    return (patch as readonly Step[]).reduce(applied, object);
  } catch {
    // A path that is not there, or a test that does not hold: the server tells the two apart no more than this.
    return unfit;
  }
}

function applied(object: JsonObject, step: Step): JsonObject {
  if (step.op !== 'test') return applyPatch(object, [step]);
  const found = (parsePointer(step.path) ?? []).reduce<unknown>(valueAt, object);
  if (isDeepStrictEqual(found, step.value)) return object;
  throw new Error('a test that does not hold');
}
