import type { JsonObject } from '#shared/domain/json.ts';
import { metadataOf } from '../stated.ts';

/** A question comes back with its answer. */
export function answered(sent: JsonObject, spec: JsonObject, status: JsonObject): JsonObject {
  const { kind = '', apiVersion } = sent;
  return {
    ...{ kind, ...(apiVersion !== undefined && { apiVersion }) },
    ...{ metadata: metadataOf(sent), spec, status },
  };
}
