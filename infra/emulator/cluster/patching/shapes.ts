import { isJsonObject, type Json } from '#shared/domain/json.ts';
import type { Schema } from '../parts.ts';

/** What a value may be, and how it is merged; a place without a type may be any of the three. */
export type Shape = {
  readonly scalar: Scalar | undefined;
  readonly list: ListShape | undefined;
  readonly map: MapShape | undefined;
};

export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

export type ListShape = {
  readonly atomic: boolean;
  /** Sorted; none for a set. */
  readonly keys: readonly string[];
  /** As the schema has them. */
  readonly stated: readonly string[];
  readonly defaults: Readonly<Record<string, Json>>;
  readonly item: Shape;
};

export type MapShape = {
  readonly atomic: boolean;
  at(field: string): FieldShape;
};

export type FieldShape = {
  /** Its name in a set. */
  readonly element: string;
  readonly shape: Shape;
  readonly place: 'declared' | 'free' | 'unknown';
};

/** All of it belongs to one owner. */
const untyped: Shape = {
  scalar: 'untyped',
  get list() {
    return { ...bag, item: untyped };
  },
  map: { atomic: true, at: (field) => free(field, untyped) },
};

const bag = { atomic: true, keys: [], stated: [], defaults: {} };

/** Without a schema maps are merged and lists are not. */
export const deduced: Shape = {
  scalar: 'untyped',
  list: { ...bag, item: untyped },
  map: { atomic: false, at: (field) => free(field, deduced) },
};

const known = new WeakMap<Schema, Shape>();
const knownBelowUnknown = new WeakMap<Schema, Shape>();

/** Made when it is asked for, since a schema may hold itself; `preserving` comes down from the schemas above. */
export function shapeOf(schema: Schema | undefined, preserving = false): Shape {
  if (schema === undefined) return deduced;
  const shapes = preserving ? knownBelowUnknown : known;
  const found = shapes.get(schema);
  if (found !== undefined) return found;
  const shape = read(schema, preserving || schema['x-kubernetes-preserve-unknown-fields'] === true);
  shapes.set(schema, shape);
  return shape;
}

function read(schema: Schema, preserving: boolean): Shape {
  if (isRaw(schema)) return untyped;
  const { type } = schema;
  const any = type === undefined;
  return {
    scalar: any ? 'untyped' : scalarOf(schema),
    list: any || type === 'array' ? listOf(schema, preserving) : undefined,
    map: any || type === 'object' ? mapOf(schema, preserving) : undefined,
  };
}

/** The one built-in type that its name alone makes atomic. */
function isRaw(schema: Schema): boolean {
  return schema['x-go-name'] === 'runtime.RawExtension';
}

function scalarOf({ type, format }: Schema): Scalar | undefined {
  if (type === 'integer' || type === 'number') return 'numeric';
  if (type === 'boolean') return 'boolean';
  if (type !== 'string') return undefined;
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
}

function listOf(schema: Schema, preserving: boolean): ListShape {
  const { items } = schema;
  const item = () => (items === undefined ? untyped : shapeOf(items, preserving));
  const stated = keysOf(schema);
  return {
    atomic: stated === undefined,
    stated: stated ?? [],
    keys: [...(stated ?? [])].sort(),
    defaults: defaultsOf(items, stated ?? []),
    get item() {
      return item();
    },
  };
}

/** Undefined for an atomic list. */
function keysOf(schema: Schema): readonly string[] | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'map') return schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== undefined) return listType === 'set' ? [] : undefined;
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return undefined;
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? [] : [key];
}

function defaultsOf(
  items: Schema | undefined,
  keys: readonly string[],
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    keys.flatMap((key): readonly (readonly [string, Json])[] => {
      const value = items?.properties?.[key]?.default;
      return isJson(value) ? [[key, value]] : [];
    }),
  );
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}

/** An object within an object has these, whether its schema says so or not. */
const ofObjects = new Set(['apiVersion', 'kind', 'metadata']);

/** The declared fields are looked up once: this is asked for every field of every write. */
function mapOf(schema: Schema, preserving: boolean): MapShape {
  const { properties = {} } = schema;
  const declared = new Map<string, FieldShape>();
  const rest = restOf(schema, preserving);
  const found = (field: string): FieldShape => {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true && ofObjects.has(field);
    if (!isEmbedded && !Object.hasOwn(properties, field)) return rest(field);
    const shape = shapeOf(properties[field], preserving);
    const entry: FieldShape = { element: `f:${field}`, shape, place: 'declared' };
    declared.set(field, entry);
    return entry;
  };
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    at: (field) => declared.get(field) ?? found(field),
  };
}

function restOf(schema: Schema, preserving: boolean): (field: string) => FieldShape {
  const { properties = {}, additionalProperties: more } = schema;
  if (isJsonObject(more)) return (field) => free(field, shapeOf(more, preserving));
  const isFree = more ?? (preserving || Object.keys(properties).length === 0);
  return (field) => (isFree ? free(field, deduced) : { ...free(field, untyped), place: 'unknown' });
}

function free(field: string, shape: Shape): FieldShape {
  return { element: `f:${field}`, shape, place: 'free' };
}

export type Kind = 'scalar' | 'list' | 'map';

/** As which of its kinds a value is read: null, and what does not fit, as the first one that there is. */
export function kindOf(shape: Shape, value: Json): Kind {
  const kind = ownKind(value);
  if (kind !== undefined && shape[kind] !== undefined) return kind;
  if (shape.map !== undefined) return 'map';
  return shape.scalar === undefined ? 'list' : 'scalar';
}

function ownKind(value: Json): Kind | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object') return 'scalar';
  return Array.isArray(value) ? 'list' : 'map';
}
