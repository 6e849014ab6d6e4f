import type { Json, JsonObject } from '#shared/domain/json.ts';
import { drawnValue } from '../../by-schema.ts';
import type { Dice } from '../../dice.ts';
import type { Step } from '../../step.ts';
import { ask } from './ask.ts';
import { drawnSchema } from './schemas.ts';

const definitionsAt = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind of one's own, of a schema that nobody has thought of, and a life of its objects. */
export function definition(dice: Dice): readonly Step[] {
  const schema = drawnSchema(dice);
  const versions = ['v1', ...(dice.chance(0.3) ? ['v2'] : [])].map((name, index) => ({
    ...{ name, served: true, storage: index === 0, schema: { openAPIV3Schema: schema } },
    ...(dice.chance(0.5) && { subresources: { status: {}, ...(dice.chance(0.4) && { scale }) } }),
    ...(dice.chance(0.3) && { additionalPrinterColumns: columns }),
  }));
  const names = { plural: 'things', singular: 'thing', kind: 'Thing' };
  const made = ask(`POST ${definitionsAt}`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{ns}.example' },
    spec: { group: '{ns}.example', scope: 'Namespaced', names, versions },
  });
  const of = { dice, schema, versions: versions.map(({ name }) => name) };
  const turns = Array.from({ length: 4 + dice.below(5) }, () => turn(of));
  return [made, ...of.versions.map(served), first(of), ...turns];
}

const scale = { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' };
const columns = [
  { name: 'Text', type: 'string', jsonPath: '.spec.text' },
  { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
  { name: 'Listed', type: 'string', jsonPath: '.spec.list[*]' },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
];

type Of = {
  readonly dice: Dice;
  readonly schema: JsonObject;
  readonly versions: readonly string[];
};

function at(version: string): string {
  return `/apis/{ns}.example/${version}/namespaces/{ns}/things`;
}

/** It takes a moment; a definition that was refused is never served. */
function served(version: string): Step {
  return ask(`GET ${at(version)}`, undefined, { eventually: 200 });
}

function first(of: Of): Step {
  return ask(`POST ${at('v1')}`, object(of, 'v1'));
}

function object({ dice, schema }: Of, version: string): JsonObject {
  const value = drawnValue(schema, dice, 0);
  const drawn = typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};
  return {
    ...drawn,
    ...{ apiVersion: `{ns}.example/${version}`, kind: 'Thing', metadata: { name: 'a' } },
  };
}

function turn(of: Of): Step {
  const { dice } = of;
  const version = dice.one(of.versions);
  const path = `${at(version)}/a`;
  const next = object(of, version);
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = next;
  const strict = dice.one(['', '', 'fieldValidation=Strict']);
  return dice.weighed<() => Step>([
    [3, () => ask(`MERGE ${path}?${strict}`, fields)],
    [3, () => ask(`APPLY ${path}?fieldManager=${dice.one(['me', 'you'])}`, next)],
    [1, () => ask(`APPLY ${path}?fieldManager=me&force=true`, next)],
    [
      2,
      () =>
        ask(`PUT ${path}?${strict}`, { ...next, metadata: { name: 'a', resourceVersion: '{rv}' } }),
    ],
    [1, () => ask(`MERGE ${path}/status`, fields)],
    [1, () => ask(`MERGE ${path}/scale`, { spec: { replicas: dice.one<Json>([0, 3, -1]) } })],
    [1, () => ask(`GET ${path}/scale`)],
    [2, () => ask(`GET ${path}`)],
    [1, () => ask(`TABLE ${at(version)}`)],
    [1, () => ask(`POST ${at(version)}?${strict}`, { ...next, metadata: { name: 'b' } })],
    [0.5, () => ask(`DELETE ${path}`)],
  ])();
}
