import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import type { GroupVersionKind, Schema, Schemas } from '../parts.ts';
import { linkerOf } from './link.ts';
import { once, parsePublished } from './read-published.ts';

const kinds = 'x-kubernetes-group-version-kind';

const published = once(() => {
  const components = parsePublished('schemas.json');
  return { names: namesByKind(components), link: linkerOf(components) };
});

/** Built-in kinds first; the others are asked for at `custom`. Nothing is read before the first question. */
export function openSchemas(custom: (type: GroupVersionKind) => Schema | undefined): Schemas {
  return { find: (type) => builtInSchema(type) ?? custom(type) };
}

export function builtInSchema(type: GroupVersionKind): Schema | undefined {
  const { names, link } = published();
  const name = names.get(idOf(type));
  return name === undefined ? undefined : link(name);
}

/** `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`, and what else is no kind of its own. */
export function componentSchema(name: string): Schema {
  const found = published().link(name);
  if (found === undefined) throw new Error(`${name} is not published`);
  return found;
}

export const objectMeta = once(() =>
  componentSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
);

function namesByKind(components: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(components).flatMap(([name, schema]) => {
      const stated = isJsonObject(schema) ? schema[kinds] : undefined;
      const types = isList(stated) ? stated.filter(isJsonObject) : [];
      return types.map((type) => [idOf(type), name] as const);
    }),
  );
}

function idOf({ group, version, kind }: JsonObject | GroupVersionKind): string {
  return `${String(group)}/${String(version)}/${String(kind)}`;
}
