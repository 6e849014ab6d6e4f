import type { JsonObject } from '#shared/domain/json.ts';
import { objectAt, objectsAt } from '../definition.ts';

export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find((each) => each['type'] === type);
}
