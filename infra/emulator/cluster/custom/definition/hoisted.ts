import { type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { objectsAt } from '../definition.ts';

/**
 * What all versions state alike the server moves to the top before it looks, as an older version of the API had it;
 * its messages name that place. With one version that is everything.
 */
export type Placed = {
  readonly version: JsonObject;
  readonly value: Json;
  readonly path: string;
};

const tops = {
  schema: 'spec.validation',
  subresources: 'spec.subresources',
  additionalPrinterColumns: 'spec.additionalPrinterColumns',
  selectableFields: 'spec.selectableFields',
} as const;

export type Part = keyof typeof tops;

export function isHoisted(spec: JsonObject, part: Part): boolean {
  const [first, ...others] = objectsAt(spec, 'versions');
  const value = first?.[part];
  return value !== undefined && others.every((each) => sameJson(each[part], value));
}

/** Of the versions themselves: nothing where the part is at the top. */
export function perVersion(spec: JsonObject, part: Part, index: number): readonly Placed[] {
  const version = objectsAt(spec, 'versions')[index];
  const value = version?.[part];
  if (version === undefined || value === undefined || isHoisted(spec, part)) return [];
  return [{ version, value, path: `spec.versions[${index}].${part}` }];
}

export function atTop(spec: JsonObject, part: Part): readonly Placed[] {
  const [version] = objectsAt(spec, 'versions');
  const value = version?.[part];
  if (version === undefined || value === undefined || !isHoisted(spec, part)) return [];
  return [{ version, value, path: tops[part] }];
}

/** As they are after the move, for what is printed of them. */
export function remaining(spec: JsonObject): readonly JsonObject[] {
  const moved = Object.keys(tops).filter((part) => isPart(part) && isHoisted(spec, part));
  return objectsAt(spec, 'versions').map((version) =>
    Object.fromEntries(Object.entries(version).filter(([key]) => !moved.includes(key))),
  );
}

function isPart(value: string): value is Part {
  return Object.hasOwn(tops, value);
}
