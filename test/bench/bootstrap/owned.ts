import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

type Container = JsonObject & { readonly name: string };

/** Who wrote which field of them, as an API server says of every container: as `managedFields` have it. */
export function ownedOf(containers: readonly Container[]): JsonObject {
  return Object.fromEntries(
    containers.map((container) => [keyOf({ name: container.name }), ownedFields(container)]),
  );
}

/** It is mounted when that has been noted. */
const tokenVolume = 'kube-api-access-';

/** Lists whose items have keys, by which each is owned on its own; any other list is owned whole. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  env: ['name'],
  ports: ['containerPort', 'protocol'],
  volumeMounts: ['mountPath'],
};

/** Owned whole. */
const atoms: ReadonlySet<string> = new Set(['secretKeyRef', 'configMapKeyRef', 'fieldRef']);

function ownedFields(object: JsonObject): JsonObject {
  const owned = Object.entries(object).flatMap(([name, value]) => {
    const below = ownedIn(name, value);
    return below === undefined ? [] : [[`f:${name}`, below] as const];
  });
  return withItself(owned);
}

function ownedIn(name: string, value: Json | undefined): JsonObject | undefined {
  const keys = keysOf[name];
  if (Array.isArray(value) && keys !== undefined) return ownedItems(value, keys);
  return isJsonObject(value) && !atoms.has(name) ? ownedFields(value) : {};
}

function ownedItems(list: readonly Json[], keys: readonly string[]): JsonObject | undefined {
  const items = list
    .filter(isJsonObject)
    .filter(({ name }) => !String(name).startsWith(tokenVolume));
  if (items.length === 0) return undefined;
  return withItself(items.map((item) => [keyOf(pick(item, keys)), ownedFields(item)]));
}

function withItself(owned: readonly (readonly [string, JsonObject])[]): JsonObject {
  return owned.length === 0 ? {} : { '.': {}, ...Object.fromEntries(owned) };
}

function pick(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, item[key] ?? null]));
}

function keyOf(keys: JsonObject): string {
  return `k:${JSON.stringify(keys)}`;
}
