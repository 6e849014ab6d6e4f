import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

/** The document of OpenAPI v2 is one for all groups: what is not served goes, and the definitions that then nobody names. */
export function reducedSwagger(swagger: JsonObject, serves: (path: string) => boolean): JsonObject {
  const paths = keep(swagger['paths'], (path) => serves(path.slice(1)));
  const definitions = isJsonObject(swagger['definitions']) ? swagger['definitions'] : {};
  const named = reachable(paths, definitions);
  return { ...swagger, paths, definitions: keep(definitions, (name) => named.has(name)) };
}

function keep(value: Json | undefined, holds: (key: string) => boolean): JsonObject {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.filter(([key]) => holds(key)));
}

function reachable(from: Json, definitions: JsonObject): ReadonlySet<string> {
  const seen = new Set<string>();
  const open: Json[] = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of referencesOf(next)) {
      const definition = definitions[name];
      if (seen.has(name) || definition === undefined) continue;
      seen.add(name);
      open.push(definition);
    }
  }
  return seen;
}

const reference = /"\$ref":"#\/definitions\/([^"]+)"/g;

function referencesOf(value: Json): readonly string[] {
  return [...JSON.stringify(value).matchAll(reference)].map(([, name = '']) => name);
}
