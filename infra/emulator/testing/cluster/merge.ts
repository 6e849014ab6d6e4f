import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

/**
 * How lists are merged. `by-name`: items that carry a `name` by it, other lists as a whole. The real server merges each
 * list by its own keys (ports by containerPort, tolerations and finalizers by value, …): for those, ask a real one.
 */
export type Lists = 'by-name' | 'as-a-whole';

/** `overlay` laid over `base`; `null` deletes, as in both of Kubernetes' merge patches. */
export function merged(base: Json | undefined, overlay: Json, lists: Lists): Json {
  if (isJsonObject(overlay)) return mergedObjects(isJsonObject(base) ? base : {}, overlay, lists);
  if (lists === 'by-name' && isNamedList(overlay)) {
    return mergedLists(isNamedList(base) ? base : [], overlay);
  }
  return overlay;
}

export type Named = JsonObject & { readonly name: string };

export function isNamedList(value: Json | undefined): value is readonly Named[] {
  return Array.isArray(value) && value.length > 0 && value.every(isNamed);
}

function isNamed(item: unknown): item is Named {
  return isJsonObject(item) && typeof item['name'] === 'string';
}

function mergedObjects(base: JsonObject, overlay: JsonObject, lists: Lists): JsonObject {
  const kept = Object.entries(base).filter(([key]) => !(key in overlay));
  const laid = Object.entries(overlay)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, merged(base[key], value, lists)] as const);
  const next = new Map<string, Json>([...kept, ...laid]);

  // The order of keys is the base's, so that an empty patch gives an equal text as well.
  const order = [...new Set([...Object.keys(base), ...next.keys()])];
  return Object.fromEntries(
    order.flatMap((key) => {
      const value = next.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function mergedLists(base: readonly Named[], overlay: readonly Named[]): Json {
  const laid = new Map(overlay.map((item) => [item.name, item]));
  const kept = base.flatMap((item) => {
    const over = laid.get(item.name);
    if (over === undefined) return [item];
    return over['$patch'] === 'delete' ? [] : [merged(item, over, 'by-name')];
  });
  const known = new Set(base.map(({ name }) => name));
  const added = overlay.filter((item) => !known.has(item.name) && item['$patch'] !== 'delete');
  return [...kept, ...added];
}
