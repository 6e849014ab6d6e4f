import type { FieldError, Schema } from '../../parts.ts';
import { forbidden, invalid, notSupported, required } from '../valid/found.ts';
import { isTrueAt, propertyOf, textAt } from '../valid/keyword.ts';

const kinds = ['atomic', 'set', 'map'];

export function listTypeErrors(schema: Schema, path: string): readonly FieldError[] {
  const stated = textAt(schema, 'x-kubernetes-list-type');
  const at = `${path}.x-kubernetes-list-type`;
  return [
    ...typeErrors(schema, stated, path),
    ...(stated === undefined || kinds.includes(stated) ? [] : [notSupported(at, stated, kinds)]),
    ...keyErrors(schema, stated, path),
    ...(stated === 'map' ? mapErrors(schema, path) : []),
    ...(stated === 'map' || stated === 'set' ? itemErrors(schema, stated, path) : []),
  ];
}

function typeErrors(schema: Schema, stated: string | undefined, path: string) {
  if (stated === undefined) return [];
  const { type, items } = schema;
  if (type !== 'array') {
    const why = 'must be array if x-kubernetes-list-type is specified';
    return [
      type === undefined ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why),
    ];
  }
  return stated === 'set' && items !== undefined ? setErrors(items, `${path}.items`) : [];
}

/** Go prints the list type of an item in both cases. */
function setErrors(items: Schema, path: string): readonly FieldError[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = textAt(items, 'x-kubernetes-list-type');
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(`${path}.x-kubernetes-list-type`, listType, why)];
  const isLoose = items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic';
  return isLoose ? [invalid(`${path}.x-kubernetes-map-type`, listType ?? null, why)] : [];
}

function keyErrors(schema: Schema, stated: string | undefined, path: string) {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length === 0 || stated === 'map') return [];
  const at = `${path}.x-kubernetes-list-type`;
  const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
  return [stated === undefined ? required(at, why) : invalid(at, stated, why)];
}

function mapErrors(schema: Schema, path: string): readonly FieldError[] {
  const { items } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  const missing =
    keys.length === 0 ? [required(at, 'must not be empty if x-kubernetes-list-type is map')] : [];
  if (items === undefined)
    return [
      ...missing,
      required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'),
    ];
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...missing, invalid(`${path}.items.type`, items.type ?? '', why)];
  }
  return [
    ...missing,
    ...keys.flatMap((key, index) =>
      mapKeyErrors(key, keys.indexOf(key) < index, { items, keys, path }),
    ),
  ];
}

type Map = { readonly items: Schema; readonly keys: readonly string[]; readonly path: string };

function mapKeyErrors(key: string, isTwice: boolean, { items, keys, path }: Map) {
  const at = `${path}.x-kubernetes-list-map-keys`;
  const property = propertyOf(items, key);
  const isScalar = property?.type !== 'array' && property?.type !== 'object';
  const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
  return [
    ...(property === undefined
      ? [invalid(at, [...keys], 'entries must all be names of item properties')]
      : []),
    ...(isScalar ? [] : [invalid(`${path}.items.properties[${key}].type`, items.type ?? '', why)]),
    ...(isTwice ? [invalid(at, [...keys], 'must not contain duplicate entries')] : []),
  ];
}

function itemErrors(schema: Schema, stated: 'map' | 'set', path: string): readonly FieldError[] {
  const { items } = schema;
  if (items === undefined) return [];
  const keys = stated === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  return [
    ...(isTrueAt(items, 'nullable')
      ? [
          forbidden(
            `${path}.items.nullable`,
            `cannot be nullable when x-kubernetes-list-type is ${stated}`,
          ),
        ]
      : []),
    ...keys.flatMap((key) => statedKeyErrors(key, items, `${path}.items.properties[${key}]`)),
  ];
}

function statedKeyErrors(key: string, items: Schema, path: string): readonly FieldError[] {
  const property = propertyOf(items, key);
  if (property === undefined) return [];
  const isStated = items.required?.includes(key) === true || property.default !== undefined;
  const keyed = 'this property is in x-kubernetes-list-map-keys, so it';
  return [
    ...(isStated
      ? []
      : [required(`${path}.default`, `${keyed} must have a default or be a required property`)]),
    ...(isTrueAt(property, 'nullable')
      ? [forbidden(`${path}.nullable`, `${keyed} cannot be nullable`)]
      : []),
  ];
}
