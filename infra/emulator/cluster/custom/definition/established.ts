import type { JsonObject } from '#shared/domain/json.ts';
import { conditionOf } from './conditions.ts';

/** Before that nobody can ask for its objects. */
export function isEstablished(definition: JsonObject): boolean {
  return conditionOf(definition, 'Established')?.['status'] === 'True';
}
