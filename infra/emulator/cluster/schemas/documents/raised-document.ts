import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { inside, objects } from '../../access/stated.ts';
import { objectAt } from '../../custom/definition.ts';

/** OpenAPI v3 of a server that has v2 alone; as in the real one, not all of it is carried over. */
export function raisedDocument(swagger: JsonObject): JsonObject {
  return {
    openapi: '3.0.0',
    info: objectAt(swagger, 'info'),
    paths: each(objectAt(swagger, 'paths'), raisedItem),
    components: {
      schemas: each(objectAt(swagger, 'definitions'), raisedSchema),
      securitySchemes: objectAt(swagger, 'securityDefinitions'),
    },
  };
}

function each(object: JsonObject, make: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value)]));
}

/** A reference with anything beside it is an `allOf` of one in v3. */
function raisedSchema(schema: Json): Json {
  if (isList(schema)) return schema.map(raisedSchema);
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...rest } = schema;
  // A property may be called so.
  if (typeof $ref !== 'string') return each(schema, raisedSchema);
  const reference = { $ref: $ref.replace('#/definitions/', '#/components/schemas/') };
  const beside = each(rest, raisedSchema);
  return Object.keys(beside).length === 0 ? reference : { ...beside, allOf: [reference] };
}

function raisedItem(item: Json): Json {
  if (!isJsonObject(item)) return item;
  const entries = Object.entries(item).map(([key, value]): [string, Json] => {
    if (key === 'parameters') return [key, isList(value) ? value.map(raisedParameter) : value];
    return [key, isJsonObject(value) ? raisedOperation(value) : value];
  });
  return Object.fromEntries(entries);
}

function raisedOperation(operation: JsonObject): JsonObject {
  const { consumes, produces, parameters, responses, ...rest } = operation;
  const { schemes: _, security: __, ...kept } = rest;
  const all = objects(parameters);
  const [body] = all.filter(isBody);
  const others = all.filter((one) => !isBody(one));
  return {
    ...kept,
    ...(others.length > 0 && { parameters: others.map(raisedParameter) }),
    ...(body !== undefined && {
      requestBody: { content: contentOf(consumes, objectAt(body, 'schema')) },
    }),
    responses: each(inside(responses), (response) => raisedResponse(response, produces)),
  };
}

function isBody({ name, schema }: JsonObject): boolean {
  return name === 'body' && schema !== undefined;
}

function contentOf(types: Json | undefined, schema: JsonObject): JsonObject {
  const content = { schema: raisedSchema(schema) };
  return Object.fromEntries((isList(types) ? types : []).map((type) => [String(type), content]));
}

function raisedResponse(response: Json, produces: Json | undefined): Json {
  const { description = '', schema } = inside(response);
  return {
    description,
    ...(isJsonObject(schema) && isList(produces) && { content: contentOf(produces, schema) }),
  };
}

function raisedParameter(parameter: Json): Json {
  const { $ref, schema, ...stated } = inside(parameter);
  if (typeof $ref === 'string') {
    return { $ref: $ref.replace('#/parameters/', '#/components/parameters/') };
  }
  return {
    ...picked(stated, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
    schema:
      schema === undefined
        ? picked(stated, ['type', 'format', 'uniqueItems'])
        : raisedSchema(schema),
  };
}

function picked(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}
