import type { JsonObject } from '#shared/domain/json.ts';
import { forbiddenOf } from '../../access/forbidden.ts';
import { inside, metadataOf, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';

/** A built-in step: the object as it goes on, or why not. `undefined` where the step has nothing to do. */
export type Step = (what: Admitting, reading: Reading) => JsonObject | Refusal | undefined;

export function forbids({ kind, name, object }: Admitting, why: string): Refusal {
  const { resource, group } = kind;
  return forbiddenOf({ resource, group, name: name || nameFor(object) }, why);
}

/** What has a generateName alone has no name yet. */
function nameFor(object: JsonObject | undefined): string {
  const { name, generateName } = metadataOf(object);
  return text(name) || text(generateName) || 'Unknown';
}

export function isPod(what: Admitting, subresource?: string): boolean {
  const { group, resource } = what.kind;
  return group === '' && resource === 'pods' && what.subresource === subresource;
}

export function withSpec(object: JsonObject, changes: JsonObject): JsonObject {
  return { ...object, spec: { ...inside(object['spec']), ...changes } };
}
