import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';

/**
 * What of `after` differs from `before`, as a merge patch; `undefined` where nothing does. Only what `after` states is
 * looked at: fields of others stay. A field that is `undefined` in it is taken away.
 */
export function mergePatchOf(before: object | undefined, after: object): JsonObject | undefined {
  const old = (before ?? {}) as JsonObject;
  const changed = Object.entries(after)
    // The server leaves out what is nothing: said once, it need not be said again.
    .filter(
      ([key, value]) => before === undefined || key in old || kept.has(key) || !isNothing(value),
    )
    .map(([key, value]) => [key, changeOf(old[key], value)] as const)
    .filter(([, change]) => change !== undefined);
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as JsonObject);
}

/** Of these the server keeps a nought as well: they are pointers there. */
const kept: ReadonlySet<string> = new Set([
  'collisionCount',
  'ready',
  'terminating',
  'terminatingReplicas',
]);

function changeOf(before: unknown, after: unknown): unknown {
  if (after === undefined) return before === undefined ? undefined : null;
  if (isJsonObject(before) && isJsonObject(after)) return mergePatchOf(before, after);
  return sameJson(before, after) ? undefined : after;
}

function isNothing(value: unknown): boolean {
  if (value === 0 || value === undefined) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
