import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { applyPatch, type Operation } from '#shared/domain/json-patch.ts';
import type { Test } from '#shared/ports.ts';
import type { Changed } from './writing.ts';

/** In order, and as a whole: a `test` that does not hold, or a path that is not there, is a conflict. */
export function patched(object: JsonObject, operations: readonly (Operation | Test)[]): Changed {
  try {
    return { kind: 'changed', body: operations.reduce(step, object) };
  } catch (cause: unknown) {
    return { kind: 'conflict', why: cause instanceof Error ? cause.message : String(cause) };
  }
}

function step(object: JsonObject, operation: Operation | Test): JsonObject {
  if (operation.op !== 'test') return applyPatch(object, [operation]) as JsonObject;
  if (isDeepStrictEqual(at(object, operation.path), operation.value)) return object;
  throw new Error(`testing value ${operation.path} failed`);
}

function at(object: Json, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((value, escaped) => {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? Reflect.get(value, key)
      : undefined;
  }, object);
}
