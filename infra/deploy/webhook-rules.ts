import type { AdmissionTrigger } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { compare } from './plan.ts';

type Asked = {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly operation: string;
};

/** The union of what is asked for and nothing besides: one rule a group, version and set of operations. */
export function rulesOf(triggers: readonly AdmissionTrigger[]): readonly JsonObject[] {
  const byResource = Map.groupBy(triggers.flatMap(askedOf), ({ group, version, resource }) =>
    JSON.stringify([group, version, resource]),
  );
  const perResource = [...byResource.values()].map((asked) => ({
    asked,
    operations: distinct(asked.map(({ operation }) => operation)),
  }));
  const rules = Map.groupBy(perResource, ({ asked: [first], operations }) =>
    JSON.stringify([first?.group, first?.version, operations]),
  );
  return [...rules]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([, resources]) => {
      const asked = resources.flatMap((resource) => resource.asked);
      return {
        apiGroups: distinct(asked.map(({ group }) => group)),
        apiVersions: distinct(asked.map(({ version }) => version)),
        operations: distinct(asked.map(({ operation }) => operation)),
        resources: distinct(asked.map(({ resource }) => resource)),
      };
    });
}

function askedOf({ group = '', version, resources, operations }: AdmissionTrigger): Asked[] {
  return resources.flatMap((resource) =>
    operations.map((operation) => ({
      group,
      version: version ?? (group === '' ? 'v1' : '*'),
      resource,
      operation,
    })),
  );
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted(compare);
}
