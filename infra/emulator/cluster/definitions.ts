import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { withCheckedMetadata } from './custom/checked-metadata.ts';
import { customRules } from './custom/custom-rules.ts';
import { type CustomVersion, findVersion } from './custom/definition.ts';
import type { GroupVersionKind, Reading, Rules, Schema } from './parts.ts';
import { customKinds, idOf, type ServedKind } from './served-kinds.ts';

/** What the CustomResourceDefinitions say, read once until one of them changes. */
export type Definitions = {
  find(kind: Pick<ServedKind, 'group' | 'resource'>): JsonObject | undefined;
  version(kind: Pick<ServedKind, 'group' | 'resource'>, version: string): CustomVersion | undefined;
  rules(kind: ServedKind, version: string): Rules | undefined;
  ofKind(type: GroupVersionKind): JsonObject | undefined;
  schema(type: GroupVersionKind): Schema | undefined;
  all(): readonly JsonObject[];
};

export function openDefinitions(reading: Reading): Definitions {
  const id = idOf(customKinds);
  const rules = new Map<string, Rules>();
  let known: ReadonlyMap<string, JsonObject> | undefined;
  reading.onChange(id, () => {
    rules.clear();
    known = undefined;
  });
  const byName = () => {
    known ??= new Map(reading.list(id).flatMap(named));
    return known;
  };
  const find: Definitions['find'] = ({ group, resource }) => byName().get(`${group}/${resource}`);
  return {
    find,
    version(kind, version) {
      const definition = find(kind);
      return definition && findVersion(definition, version);
    },
    rules(kind, version) {
      const key = `${idOf(kind)}/${version}`;
      const definition = find(kind);
      const made = rules.get(key) ?? (definition && rulesOf(definition, kind, version));
      if (made !== undefined) rules.set(key, made);
      return made;
    },
    ofKind: ({ group, kind }) => byName().get(`${group}//${kind}`),
    schema({ group, version, kind }) {
      const definition = byName().get(`${group}//${kind}`);
      return definition && findVersion(definition, version)?.whole;
    },
    all: () => reading.list(id),
  };
}

function rulesOf(definition: JsonObject, { namespaced }: ServedKind, version: string): Rules {
  return withCheckedMetadata(customRules(definition, version), !namespaced);
}

/** Under its plural, and under its kind. */
function named(definition: JsonObject): readonly (readonly [string, JsonObject])[] {
  const { spec } = definition;
  if (!isJsonObject(spec) || !isJsonObject(spec['names'])) return [];
  const { group, names } = spec;
  const { plural, kind } = isJsonObject(names) ? names : {};
  return [
    [`${String(group)}/${String(plural)}`, definition],
    [`${String(group)}//${String(kind)}`, definition],
  ];
}
