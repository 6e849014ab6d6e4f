import type { JsonObject } from '#shared/domain/json.ts';
import { inOwnForm } from '../words/errors.ts';
import { child, ifNone, isStated, type Place, root } from '../words/place.ts';

/** The spec of a claim as Go has it: all of its fields, with a capital. */
export function claimInGo(spec: JsonObject): JsonObject {
  const at = root(spec);
  return {
    ...inOwnForm(at, ['accessModes', 'selector']),
    Resources: inOwnForm(child(at, 'resources'), ['limits', 'requests']),
    VolumeName: spec['volumeName'] ?? '',
    ...inOwnForm(at, ['storageClassName', 'volumeMode']),
    DataSource: reference(child(at, 'dataSource'), []),
    DataSourceRef: reference(child(at, 'dataSourceRef'), ['namespace']),
    ...inOwnForm(at, ['volumeAttributesClassName']),
  };
}

function reference(at: Place, more: readonly string[]): JsonObject | null {
  if (!isStated(at)) return null;
  return {
    APIGroup: ifNone(child(at, 'apiGroup')),
    ...inOwnForm(at, ['kind', 'name', ...more]),
  };
}
