import type { JsonObject } from '#shared/domain/json.ts';
import { conditionOf } from '../../custom/definition/conditions.ts';
import { type CustomVersion, objectAt, versionsOf } from '../../custom/definition.ts';
import { customComponents } from './custom-components.ts';
import { customPaths } from './custom-paths.ts';

export type Described = { readonly definition: JsonObject; readonly version: CustomVersion };

/** Served versions by the path of their document: `apis/example.com/v1`. */
export function describedByPath(
  definitions: readonly JsonObject[],
): ReadonlyMap<string, readonly Described[]> {
  const served = definitions.filter(hasNames).flatMap((definition) =>
    versionsOf(definition)
      .filter((version) => version.served)
      .map((version) => ({ definition, version })),
  );
  return Map.groupBy(served, ({ version: { type } }) => `apis/${type.group}/${type.version}`);
}

/** One that waits for a name of another is not served. */
function hasNames(definition: JsonObject): boolean {
  return conditionOf(definition, 'Established')?.['status'] !== 'False';
}

/** OpenAPI v3 of one group and version that has custom kinds only. */
export function customDocument(described: readonly Described[]): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths: sorted(merged(described, customPaths)),
    components: { schemas: sorted(merged(described, customComponents)) },
  };
}

function merged(
  described: readonly Described[],
  make: (definition: JsonObject, version: CustomVersion) => JsonObject,
): JsonObject {
  return Object.assign(
    {},
    ...described.map(({ definition, version }) => make(definition, version)),
  );
}

function sorted(object: JsonObject): JsonObject {
  const keys = Object.keys(object).sort();
  return Object.fromEntries(keys.map((key) => [key, object[key] ?? null]));
}

export function componentsOf(document: JsonObject): JsonObject {
  return objectAt(objectAt(document, 'components'), 'schemas');
}
