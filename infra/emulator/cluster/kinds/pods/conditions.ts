import type { JsonObject } from '#shared/domain/json.ts';
import { itemsOf } from '../words/edit.ts';

/** The time of a change stays where the word does. */
export function withCondition(status: JsonObject, condition: JsonObject, at: string): JsonObject {
  const all = itemsOf(status, 'conditions');
  const before = all.find(({ type }) => type === condition['type']);
  const isSame = before?.['status'] === condition['status'];
  const lastTransitionTime = isSame ? (before?.['lastTransitionTime'] ?? at) : at;
  const next = { lastProbeTime: null, ...condition, lastTransitionTime };
  return {
    ...status,
    conditions:
      before === undefined ? [...all, next] : all.map((each) => (each === before ? next : each)),
  };
}
