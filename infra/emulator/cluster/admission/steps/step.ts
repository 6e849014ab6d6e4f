import type { JsonObject } from '#shared/domain/json.ts';
import { forbiddenOf } from '../../access/forbidden.ts';
import { inside } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';

/** A built-in step: the object as it goes on, or why not. `undefined` where the step has nothing to do. */
export type Step = (what: Admitting, reading: Reading) => JsonObject | Refusal | undefined;

export function forbids({ kind, name, namespace, object }: Admitting, why: string): Refusal {
  const { resource, group } = kind;
  // A pod that has only a generateName has none yet.
  const known = name !== '' ? name : (inside(object?.['metadata'])['name'] ?? '');
  const isNamespace = group === '' && resource === 'namespaces';
  return forbiddenOf(
    { resource, group, name: String(known || (isNamespace ? namespace : '')) },
    why,
  );
}

export function isPod({ kind, subresource }: Admitting): boolean {
  return kind.group === '' && kind.resource === 'pods' && subresource === undefined;
}

export function withSpec(object: JsonObject, changes: JsonObject): JsonObject {
  return { ...object, spec: { ...inside(object['spec']), ...changes } };
}
