import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../parts.ts';

/** Where a linked schema keeps what Go calls its type: `v1.PodSpec`. Error texts name it. */
export const goName = 'x-go-name';

/** Components refer to each other, and one to itself (JSONSchemaProps), so a component is there before its properties are. */
export function linkerOf(components: JsonObject): (name: string) => Schema | undefined {
  const linked = new Map<string, Schema>();

  const component = (name: string): Schema | undefined => {
    const known = linked.get(name);
    const stated = components[name];
    if (known !== undefined || !isJsonObject(stated)) return known;
    const properties: Record<string, Schema> = {};
    const shell = shellOf(name, stated, properties);
    linked.set(name, shell);
    for (const [key, each] of Object.entries(objectAt(stated, 'properties')))
      properties[key] = schemaIn(each);
    return shell;
  };

  const schemaIn = (stated: Json): Schema => {
    if (!isJsonObject(stated)) return {};
    const { allOf, $ref, items, additionalProperties, ...rest } = stated;
    const name = nameIn($ref) ?? nameIn(firstOf(allOf)['$ref']);
    return asSchema({
      ...(name === undefined ? {} : component(name)),
      ...rest,
      ...(items === undefined ? {} : { items: schemaIn(items) }),
      ...(additionalProperties === undefined
        ? {}
        : { additionalProperties: schemaIn(additionalProperties) }),
    });
  };
  return component;
}

function shellOf(name: string, stated: JsonObject, properties: Record<string, Schema>): Schema {
  const { properties: some, ...rest } = stated;
  return asSchema({
    ...rest,
    ...(some === undefined ? {} : { properties }),
    ...(stated['format'] === 'int-or-string' ? { 'x-kubernetes-int-or-string': true } : {}),
    [goName]: name.split('.').slice(-2).join('.'),
  });
}

const prefix = '#/components/schemas/';

function firstOf(allOf: Json | undefined): JsonObject {
  const [first] = isList(allOf) ? allOf : [];
  return isJsonObject(first) ? first : {};
}

function nameIn(reference: Json | undefined): string | undefined {
  return typeof reference === 'string' ? reference.slice(prefix.length) : undefined;
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** The published document is the decoder's input: its own generator promises these shapes. */
function asSchema(value: Readonly<Record<string, unknown>>): Schema {
  return value as Schema;
}
