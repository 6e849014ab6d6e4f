import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { objectOf, type Stored, storedFrom } from '../store/stored.ts';
import { withMetadata } from './metadata.ts';

/** Between the form that objects are kept in and the one that is asked for. */
export type Conversion = {
  shown(objects: readonly Stored[]): Promise<readonly Stored[] | Refusal>;
  kept(object: JsonObject): Promise<JsonObject | Refusal>;
};

export type Convert = (
  objects: readonly JsonObject[],
) => readonly JsonObject[] | Refusal | Promise<readonly JsonObject[] | Refusal>;

type Ways = {
  readonly kind: ServedKind;
  /** Of those that are kept. */
  readonly version: string;
  readonly out: Convert;
  readonly back: Convert;
};

/** Each object is converted once, however many ask for it. */
export function conversion({ kind, version, out, back }: Ways): Conversion {
  const known = new WeakMap<Stored, Stored>();
  return {
    async shown(objects) {
      const missing = objects.filter((stored) => !known.has(stored));
      if (missing.length > 0) {
        const made = await out(
          missing.map((stored) => unversioned(objectOf(stored, kind, version))),
        );
        if (isRefusal(made)) return made;
        missing.forEach((stored, index) => {
          known.set(stored, storedFrom(made[index] ?? {}, stored.version || undefined));
        });
      }
      return objects.map((stored) => known.get(stored) ?? stored);
    },
    async kept(object) {
      const made = await back([unversioned(object)]);
      if (isRefusal(made)) return made;
      const type = { kind: kind.kind, apiVersion: apiVersion({ group: kind.group, version }) };
      return { ...made[0], ...type };
    },
  };
}

/** The version is no part of what is kept: it is written into what is read. */
function unversioned(object: JsonObject): JsonObject {
  return withMetadata(object, { resourceVersion: undefined });
}
