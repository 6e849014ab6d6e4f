import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { objectAt } from '../../custom/definition.ts';
import { componentsOf } from './custom-document.ts';

const unsaid = new Set(['oneOf', 'anyOf', 'not', 'nullable', 'default']);
/** Where anything may stand. */
const unsaidOfFree = new Set(['type', 'properties', 'required']);

/** OpenAPI v2 cannot say everything: alternatives go, and what may be null is of no type there. */
export function swaggerDefinitions(document: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(componentsOf(document)).map(([name, schema]) => [name, lowered(schema)]),
  );
}

function lowered(schema: Json): Json {
  if (isList(schema)) return schema.map(lowered);
  if (typeof schema === 'string') return schema.replace('#/components/schemas/', '#/definitions/');
  if (!isJsonObject(schema)) return schema;
  const isFree =
    schema['nullable'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const entries = Object.entries(schema)
    .filter(([key]) => !unsaid.has(key) && !(isFree && unsaidOfFree.has(key)))
    .flatMap(([key, value]): [string, Json][] =>
      key === 'allOf' ? referred(value) : [[key, below(key, value)]],
    );
  return Object.fromEntries(entries);
}

function below(key: string, value: Json): Json {
  if (key !== 'properties' || !isJsonObject(value)) return lowered(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, lowered(each)]));
}

/** A reference with a text beside it is an `allOf` of one in v3. */
function referred(value: Json): [string, Json][] {
  const [first] = isList(value) ? value : [];
  const reference = isJsonObject(first) ? first['$ref'] : undefined;
  return reference === undefined ? [] : [['$ref', lowered(reference)]];
}

/** An operation says what it takes and gives beside its parameters, in v2 among them. */
export function swaggerPaths(document: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(objectAt(document, 'paths')).map(([path, item]) => [path, loweredItem(item)]),
  );
}

function loweredItem(item: Json): Json {
  if (!isJsonObject(item)) return item;
  const entries = Object.entries(item).map(([key, value]): [string, Json] => {
    if (key === 'parameters') return [key, isList(value) ? value.map(parameter) : value];
    return [key, isJsonObject(value) ? operation(value) : value];
  });
  return Object.fromEntries(entries);
}

function operation({ requestBody, responses, parameters, ...rest }: JsonObject): JsonObject {
  const types = isJsonObject(requestBody) ? Object.keys(objectAt(requestBody, 'content')) : [];
  const [content] = isJsonObject(requestBody)
    ? Object.values(objectAt(requestBody, 'content'))
    : [];
  const body = isJsonObject(content)
    ? [{ name: 'body', in: 'body', required: true, schema: lowered(content['schema'] ?? {}) }]
    : [];
  return {
    ...rest,
    ...(types.length === 0 ? {} : { consumes: types }),
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    parameters: [...body, ...(isList(parameters) ? parameters.map(parameter) : [])],
    responses: Object.fromEntries(
      Object.entries(isJsonObject(responses) ? responses : {}).map(([code, value]) => [
        code,
        response(value),
      ]),
    ),
  };
}

function parameter(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { schema, ...rest } = value;
  return isJsonObject(schema) ? { ...rest, ...schema } : value;
}

function response(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const [content] = Object.values(objectAt(value, 'content'));
  const schema = isJsonObject(content) ? content['schema'] : undefined;
  const description = value['description'] ?? '';
  return schema === undefined ? { description } : { description, schema: lowered(schema) };
}
