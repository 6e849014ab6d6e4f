import type { JsonObject } from '#shared/domain/json.ts';
import type { Change } from './definition-cases.ts';

/** A definition that is good, changed. */
export function foos(change: Change = {}): JsonObject {
  const inSpec = { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } };
  const spec = over(inSpec, change.inSpec);
  const x = change.x === undefined ? {} : { x: change.x };
  const root = {
    type: 'object',
    properties: over(
      { spec: { ...spec, properties: { ...inSpec.properties, ...x } } },
      change.properties,
    ),
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: over(root, change.root) },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: change.name ?? 'foos.bad.io' },
    spec: over(
      {
        group: 'bad.io',
        scope: 'Namespaced',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [over(version, change.version)],
      },
      change.spec,
    ),
  };
}

function over(object: JsonObject, changed: JsonObject = {}): JsonObject {
  const entries = Object.entries({ ...object, ...changed });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}
